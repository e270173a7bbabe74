import { errorMessage } from "../../../core/errors.ts";
import type { LimiterEvent, Timestamp } from "../../rules/records.ts";
import type { LimiterState } from "../../rules/state.ts";
import { StreamReplica } from "./replica.ts";
import { encodeEntry, startId, type Stream, type StreamStep } from "./stream.ts";

export interface SharedStreamOptions {
  readonly connect: () => Promise<Stream>;
  readonly now: () => Timestamp;
  /** Returns why the server should not be used: another process could not reach it a moment ago. */
  readonly knownProblem: () => string | undefined;
  /** Called once, when the server can't be used, with the reason. */
  readonly onProblem: (reason: string) => void;
  readonly onRead: (state: LimiterState, now: number) => void;
  /** Returns the events to add to a stream that was read from its beginning, as it may have lost them. */
  readonly onRebuilt: (state: LimiterState, now: number) => readonly LimiterEvent[];
}

/** The log of a key on a server that many machines share. It ends with its first error. */
export class SharedStream {
  readonly #options: SharedStreamOptions;
  readonly #replica = new StreamReplica();
  readonly #unawaited = new Set<Promise<unknown>>();
  #stream: Promise<Stream> | undefined;
  problem: string | undefined;
  /** Whether the stream was read from its beginning, and did not get what it may have lost. */
  #mayHaveLost = false;

  constructor(options: SharedStreamOptions) {
    this.#options = options;
  }

  get state(): LimiterState {
    return this.#replica.state;
  }

  /** Whether it was used, and nothing is wrong with it. */
  get isInForce(): boolean {
    return this.#stream !== undefined && this.problem === undefined;
  }

  /** Writes `events`, if given, reads, and returns what `then` then returns; undefined if the server can't be used. */
  async step<T>(
    events: readonly LimiterEvent[] | undefined,
    then: () => T,
  ): Promise<T | undefined> {
    if (this.#stream === undefined) this.problem ??= this.#options.knownProblem();
    if (this.problem !== undefined) return undefined;
    try {
      const stream = await (this.#stream ??= this.#options.connect());
      const result = await this.#run(stream, events ? { add: entryOf(events) } : {}, then);
      this.#maintain(stream);
      return result;
    } catch (error) {
      await this.#giveUp(errorMessage(error));
      return undefined;
    }
  }

  /** Writes `event`, or only reads, and waits for neither. */
  post(event?: LimiterEvent): void {
    if (this.isInForce) this.#track(this.step(event && [event], () => {}));
  }

  /** Waits until everything is written, and closes the connection. */
  async close(): Promise<void> {
    while (this.#unawaited.size > 0) await Promise.allSettled(this.#unawaited);
    await this.#disconnect();
  }

  #track(work: Promise<unknown>): void {
    this.#unawaited.add(work);
    void work.finally(() => this.#unawaited.delete(work));
  }

  /** Runs a step, applies what it has read, and returns what `then` returns right after that. */
  async #run<T>(stream: Stream, step: Omit<StreamStep, "after">, then: () => T): Promise<T> {
    let reply = await stream.step({ ...step, after: this.#replica.lastId });
    // What was added is the last entry, unless a failover has set the stream back.
    if (reply.addedId !== undefined && reply.entries.at(-1)?.id !== reply.addedId) {
      this.#replica.reset();
      reply = await stream.step({ after: startId });
    }
    const now = this.#options.now();
    if (this.#replica.read(reply, now)) this.#mayHaveLost = true;
    this.#options.onRead(this.state, now.uptime);
    return then();
  }

  /** Adds what a stream that was read from its beginning may have lost, and a snapshot, if one is due. */
  #maintain(stream: Stream): void {
    const now = this.#options.now();
    const lost = this.#mayHaveLost ? this.#options.onRebuilt(this.state, now.uptime) : [];
    this.#mayHaveLost = false;
    const add = (step: Omit<StreamStep, "after">): void => {
      const work = this.#run(stream, step, () => {});
      this.#track(work.catch((error: unknown) => this.#giveUp(errorMessage(error))));
    };
    if (lost.length > 0) add({ add: entryOf(lost) });
    if (this.#replica.needsSnapshot) add(this.#replica.snapshot(now));
  }

  async #giveUp(reason: string): Promise<void> {
    if (this.problem !== undefined) return;
    this.problem = reason;
    this.#options.onProblem(reason);
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const stream = await this.#stream?.catch(() => undefined);
    stream?.close();
  }
}

/** Returns the entry of events that happen now: their time is that of the entry. */
function entryOf(events: readonly LimiterEvent[]): readonly string[] {
  const stamp = { boot: "", uptime: 0, wall: 0 };
  return encodeEntry({ records: events.map((event) => ({ stamp, event })) });
}
