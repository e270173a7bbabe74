import { errorMessage } from "../../../core/errors.ts";
import type { LimiterEvent, Timestamp } from "../../rules/records.ts";
import type { LimiterState } from "../../rules/state.ts";
import { encodeEntry } from "./entry.ts";
import { StreamReplica } from "./replica.ts";
import { compareIds, type Stream, type StreamReply } from "./stream.ts";

export interface SharedStreamOptions {
  readonly connect: () => Promise<Stream>;
  readonly now: () => Timestamp;
  /** Returns why the server should not be used: another process could not reach it a moment ago. */
  readonly knownTrouble: () => string | undefined;
  /** Called once, when the server can't be used, with the reason. */
  readonly onTrouble: (reason: string) => void;
}

/** How long reading what a step returned may keep this process busy, in ms (`help fleet`). */
const maxReadMs = 1000;
/** How many steps in a row may find that entries are gone: each of them adds what this process knows. */
const maxRebuilds = 5;

/** Called with what was read. */
export interface StreamReader {
  /** Called whenever the state has changed. */
  onRead(state: LimiterState, now: number): void;
  /** Returns the events to add to a stream that was read from its beginning, as it may have lost them. */
  onRebuilt(state: LimiterState, now: number): readonly LimiterEvent[];
}

/** The log of a key on a server that many machines share. It ends with its first error. */
export class SharedStream {
  readonly #options: SharedStreamOptions;
  readonly #reader: StreamReader;
  readonly #replica = new StreamReplica();
  /** Steps whose result nobody waits for. */
  readonly #posted = new Set<Promise<unknown>>();
  #stream: Promise<Stream | undefined> | undefined;
  /** Why the server can't be used. */
  trouble: string | undefined;
  #rebuilds = 0;

  constructor(options: SharedStreamOptions, reader: StreamReader) {
    this.#options = options;
    this.#reader = reader;
  }

  get state(): LimiterState {
    return this.#replica.state;
  }

  /** Whether it was used, and nothing is wrong with it. */
  get isInForce(): boolean {
    return this.#stream !== undefined && this.trouble === undefined;
  }

  /**
   * Writes an entry of `events`, if they are given, reads what came before it, and returns what `then`
   * returns right after that; undefined if the server can't be used. Never rejects.
   */
  async step<T>(
    events: readonly LimiterEvent[] | undefined,
    then: () => T,
  ): Promise<T | undefined> {
    try {
      const stream = await this.#connected();
      if (stream === undefined || this.trouble !== undefined) return undefined;
      const reply = await stream.step({
        after: this.#replica.lastId,
        ...(events && { add: encodeEntry({ records: events.map(recordNow) }) }),
      });
      if (!this.#read(reply)) await this.#readAll(stream);
      const result = then();
      this.#compact(stream);
      return result;
    } catch (error) {
      await this.#giveUp(errorMessage(error));
      return undefined;
    }
  }

  /** Writes `events`, or only reads, and waits for neither. */
  post(...events: readonly LimiterEvent[]): void {
    if (this.isInForce) this.#track(this.step(events.length > 0 ? events : undefined, () => {}));
  }

  /** Waits until everything is written, and closes the connection. */
  async close(): Promise<void> {
    while (this.#posted.size > 0) await Promise.allSettled(this.#posted);
    const stream = await this.#stream?.catch(() => undefined);
    stream?.close();
  }

  #track(work: Promise<unknown>): void {
    this.#posted.add(work);
    void work.finally(() => this.#posted.delete(work));
  }

  #connected(): Promise<Stream | undefined> {
    if (this.#stream !== undefined) return this.#stream;
    this.trouble = this.#options.knownTrouble();
    this.#stream =
      this.trouble === undefined ? this.#options.connect() : Promise.resolve(undefined);
    return this.#stream;
  }

  /** Applies a reply; returns false if the stream does not continue from what was read (a failover). */
  #read(reply: StreamReply): boolean {
    const { addedId, entries } = reply;
    const isBehind = addedId !== undefined && compareIds(addedId, this.#replica.lastId) <= 0;
    if (isBehind && !entries.some(({ id }) => id === addedId)) return false;
    this.#apply(reply);
    return true;
  }

  async #readAll(stream: Stream): Promise<void> {
    this.#replica.reset();
    this.#apply(await stream.step({ after: this.#replica.lastId }));
  }

  #apply(reply: StreamReply): void {
    const now = this.#options.now();
    const isRebuilt = this.#replica.read(reply, now, () => {
      if (this.#options.now().uptime - now.uptime > maxReadMs)
        throw new Error(`reading it takes over ${maxReadMs / 1000} s`);
    });
    this.#reader.onRead(this.state, now.uptime);
    this.#rebuilds = isRebuilt ? this.#rebuilds + 1 : 0;
    if (!isRebuilt) return;
    if (this.#rebuilds > maxRebuilds) throw new Error("it loses what is written to it");
    const news = this.#reader.onRebuilt(this.state, now.uptime);
    if (news.length > 0) this.post(...news);
  }

  /** Writes a snapshot, if one is due, and removes what it covers. */
  #compact(stream: Stream): void {
    if (!this.#replica.needsSnapshot) return;
    const snapshot = this.#replica.snapshot(this.#options.now());
    const work = stream
      .step({ ...snapshot, after: this.#replica.lastId })
      .then((reply) => void this.#read(reply))
      .catch((error: unknown) => this.#giveUp(errorMessage(error)));
    this.#replica.expectSnapshot();
    this.#track(work);
  }

  async #giveUp(reason: string): Promise<void> {
    if (this.trouble !== undefined) return;
    this.trouble = reason;
    this.#options.onTrouble(reason);
    const stream = await this.#stream?.catch(() => undefined);
    stream?.close();
  }
}

/** Returns the record of an event that happens now; the time is that of its entry. */
function recordNow(event: LimiterEvent) {
  return { stamp: { boot: "", uptime: 0, wall: 0 }, event };
}
