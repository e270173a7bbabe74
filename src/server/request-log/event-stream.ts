import type { StreamSink } from "../api/response.ts";
import type { LoggedEntry, RequestLog } from "./request-log.ts";
import type { RequestRates } from "./request-rates.ts";

/** What is streamed. */
export interface StreamSource {
  readonly log: RequestLog;
  readonly rates: RequestRates;
  readonly changes: ChangeFeed;
}

/** Announces changes of the store's settings to all open pages, each as an event with a JSON value. */
export interface ChangeFeed {
  readonly announce: (event: string, value: unknown) => void;
  /** Calls `listener` with each event until the returned function is called. */
  subscribe(listener: (event: string) => void): () => void;
}

/** Makes a feed of changes. */
export function makeChangeFeed(): ChangeFeed {
  const listeners = new Set<(event: string) => void>();
  return {
    announce: (event, value) => {
      for (const listener of listeners) listener(eventText(event, value));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The options of a reader of the stream. */
interface StreamOptions {
  /** The `Last-Event-ID` of a reader that resumes. */
  readonly lastEventId: string | undefined;
  /**
   * Whether the reader is the page: it gets rows instead of entries, those that are remembered first, how many
   * requests ended each second, and rather gaps than more than 1,000 rows a second.
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

/**
 * Streams requests as server-sent events (HTML standard, 9.2) until the returned function is called, or
 * the reader is too far behind.
 */
export function streamEntries(
  source: StreamSource,
  sink: StreamSink,
  options: StreamOptions,
): () => void {
  const stream = new RequestStream(source, sink, options);
  return () => stream.end();
}

class RequestStream {
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
  #wasStuck = false;

  constructor(source: StreamSource, sink: StreamSink, { lastEventId, isPage }: StreamOptions) {
    const { log, changes } = source;
    [this.#source, this.#sink, this.#isPage] = [source, sink, isPage];
    const heartbeat = setInterval(() => this.#beat(), heartbeatMs);
    this.#stops = [
      () => clearTimeout(this.#timer),
      () => clearInterval(heartbeat),
      log.subscribe((event) => (event === "entry" ? this.#onEntry() : this.#onReset())),
      ...(isPage ? [changes.subscribe((text) => this.#send(text))] : []),
    ];
    this.#send(":\n\n");
    const { oldest, next } = log.bounds();
    const known = lastEventId === undefined ? undefined : log.positionAfter(lastEventId);
    if (lastEventId !== undefined && known === undefined) this.#send(gapEvent(null));
    this.#position = known ?? (lastEventId !== undefined || isPage ? oldest : next);
    this.#replay();
  }

  end(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#sink.close();
  }

  #send(text: string): void {
    if (this.#sink.pendingBytes() > maxPendingBytes) this.end();
    else this.#sink.write(text);
  }

  /** Sends what the log has from the position on, as far as the reader receives it. */
  #replay(): void {
    if (this.#stops.length === 0) return;
    this.#isReplaying = true;
    this.#wasStuck = false;
    while (this.#sink.pendingBytes() < stepBytes) {
      const text = this.#take(1).join("");
      if (text === "") {
        this.#isReplaying = false;
        if (this.#isPage) this.#send(this.#rates());
        return;
      }
      this.#send(text);
    }
    this.#sink.onceDrained(() => this.#replay());
  }

  /** Returns the events of the next `count` entries, and moves the position behind them. */
  #take(count?: number): readonly string[] {
    const { entries, missed, next } = this.#source.log.readFrom(this.#position, count);
    this.#position = next;
    const events = entries.map((entry) => requestEvent(entry, this.#isPage));
    return missed === 0 ? events : [gapEvent(missed), ...events];
  }

  #rates(): string {
    const update = this.#source.rates.since(this.#ratedUntil);
    this.#ratedUntil = Math.floor(update.now / 1000);
    return eventText("rates", update);
  }

  #onEntry(): void {
    if (this.#isReplaying) return;
    const delay = Math.max(batchMs, this.#pausedUntil - performance.now());
    this.#timer ??= setTimeout(() => this.#flush(), delay);
  }

  #flush(): void {
    this.#timer = undefined;
    const events = this.#take();
    if (!this.#isPage) return this.#send(events.join(""));
    this.#pausedUntil = performance.now() + Math.max(minPauseMs, events.length * pauseMsPerEntry);
    this.#send(events.join("") + this.#rates());
  }

  #onReset(): void {
    const { log } = this.#source;
    this.#position = log.bounds().next;
    this.#send(eventText("reset", { store: log.storeId() }));
  }

  /** Keeps the stream open; one whose reader received nothing of a replay since the last beat is cut off. */
  #beat(): void {
    if (this.#isReplaying && this.#wasStuck) return this.end();
    this.#wasStuck = this.#isReplaying;
    if (!this.#isReplaying) this.#send(":\n\n");
  }
}

function requestEvent(entry: LoggedEntry, isPage: boolean): string {
  return `event: request\nid: ${entry.id}\ndata: ${isPage ? entry.row() : entry.json()}\n\n`;
}

/** Returns the event for missing requests: how many, or null if that is unknown; none for 0. */
function gapEvent(missed: number | null): string {
  return missed === 0 ? "" : eventText("gap", { missed });
}

function eventText(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}
