import type { StreamSink } from "../api/response.ts";
import type { Monitor } from "./monitor.ts";

type StreamSource = Pick<Monitor, "log" | "rates">;

/** The options of a reader of the stream. */
interface StreamOptions {
  /** The `Last-Event-ID` of a reader that resumes. */
  readonly lastEventId: string | undefined;
  /**
   * Whether the reader is the page: it gets rows instead of entries, those that are remembered first, how many
   * requests ended each second, what is announced, and rather gaps than more than 1,000 rows a second.
   */
  readonly isPage: boolean;
}

/** A stream is cut off if its reader is this many bytes behind (`help store`). */
export const maxPendingBytes = 1_048_576;
/** Remembered entries are sent in steps: no more while the reader is this many bytes behind. */
const stepBytes = 65_536;
/** The interval of the comments that keep an idle stream open, in ms. */
export const heartbeatMs = 15_000;
/** Entries that arrive within this time, in ms, are sent together. */
const batchMs = 50;
/** The pause of the page's stream after a batch, in ms per entry. */
const pauseMsPerEntry = 1;
/** The minimum pause of the page's stream after a batch, in ms. */
const minPauseMs = 250;

/** Sends requests as server-sent events (HTML standard, 9.2) until it is ended, or its reader is too far behind. */
export class RequestStream {
  readonly #source: StreamSource;
  readonly #sink: StreamSink;
  readonly #isPage: boolean;
  readonly #stops: (() => void)[];
  /** The number of the entry that is sent next. */
  #position: number;
  #timer: NodeJS.Timeout | undefined;
  #pausedUntil = 0;
  /** The second up to which the page knows how many requests ended. */
  #ratedUntil = 0;
  #isReplaying = false;

  constructor(source: StreamSource, sink: StreamSink, { lastEventId, isPage }: StreamOptions) {
    const { log } = source;
    [this.#source, this.#sink, this.#isPage] = [source, sink, isPage];
    const heartbeat = setInterval(() => this.#send(":\n\n"), heartbeatMs);
    this.#stops = [
      () => clearTimeout(this.#timer),
      () => clearInterval(heartbeat),
      log.subscribe((event, value) => this.#onEvent(event, value)),
    ];
    this.#send(":\n\n");
    const { oldest, next } = log.bounds();
    const known = lastEventId === undefined ? undefined : log.positionAfter(lastEventId);
    if (lastEventId !== undefined && known === undefined)
      this.#send(eventText("gap", { missed: null }));
    this.#position = known ?? (lastEventId !== undefined || isPage ? oldest : next);
    this.#replay();
  }

  end(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#sink.destroy();
  }

  #send(text: string): void {
    if (this.#sink.writableLength > maxPendingBytes) this.end();
    else this.#sink.write(text);
  }

  /** Sends what the log has from the position on, as far as the reader receives it. */
  #replay(): void {
    if (this.#stops.length === 0) return;
    this.#isReplaying = true;
    while (this.#sink.writableLength < stepBytes) {
      const text = this.#take(1).join("");
      if (text === "") {
        this.#isReplaying = false;
        if (this.#isPage) this.#send(this.#rates());
        return;
      }
      this.#send(text);
    }
    this.#sink.once("drain", () => this.#replay());
  }

  /** Returns the events of the next `count` entries, and moves the position behind them. */
  #take(count?: number): readonly string[] {
    const { entries, missed, next } = this.#source.log.readFrom(this.#position, count);
    this.#position = next;
    const events = entries.map(
      (entry) =>
        `event: request\nid: ${entry.id}\ndata: ${this.#isPage ? entry.row() : entry.json()}\n\n`,
    );
    return missed === 0 ? events : [eventText("gap", { missed }), ...events];
  }

  #rates(): string {
    const update = this.#source.rates.since(this.#ratedUntil);
    this.#ratedUntil = Math.floor(update.now / 1000);
    return eventText("rates", update);
  }

  #onEvent(event: string, value: unknown): void {
    const { log } = this.#source;
    if (event === "entry") {
      if (this.#isReplaying) return;
      const delay = Math.max(batchMs, this.#pausedUntil - performance.now());
      this.#timer ??= setTimeout(() => this.#flush(), delay);
    } else if (event === "reset") {
      this.#position = log.bounds().next;
      this.#send(eventText("reset", { store: log.storeId() }));
    } else if (this.#isPage) this.#send(eventText(event, value));
  }

  #flush(): void {
    this.#timer = undefined;
    const events = this.#take();
    if (!this.#isPage) return this.#send(events.join(""));
    this.#pausedUntil = performance.now() + Math.max(minPauseMs, events.length * pauseMsPerEntry);
    this.#send(events.join("") + this.#rates());
  }
}

function eventText(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}
