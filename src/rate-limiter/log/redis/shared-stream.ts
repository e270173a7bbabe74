import { errorMessage } from "../../../core/errors.ts";
import type { LimiterEvent, Timestamp } from "../../rules/records.ts";
import { applyRecord } from "../../rules/reducer.ts";
import { snapshotRecords } from "../../rules/snapshot.ts";
import { emptyState, type LimiterState } from "../../rules/state.ts";
import type { StreamConnection, StreamReply, StreamStep } from "./connection.ts";
import { compareIds, encodeEntry, idMs, startId, unfoldEntries } from "./entries.ts";

/** After this many entries since the last snapshot, the next one is due: every process reads them all. */
const snapshotAfter = 200;
/** From then on, the snapshot is written by the process that adds the n-th entry, for multiples n of this. */
const snapshotTurns = 16;
/** How far ahead of the server's time the last entry may be: its clock may have been set back. */
const maxAheadMs = 24 * 60 * 60_000;

export interface SharedStreamOptions {
  readonly connect: () => Promise<StreamConnection>;
  readonly now: () => Timestamp;
  /** Returns why the server should not be used: another process could not reach it a moment ago. */
  readonly knownProblem: () => string | undefined;
  /** Called once, when the server can't be used, with the reason. */
  readonly onProblem: (reason: string) => void;
  readonly onRead: (state: LimiterState) => void;
  /** Returns the events to add to a stream that was read from its beginning, as it may have lost them. */
  readonly onRebuilt: (state: LimiterState) => readonly LimiterEvent[];
}

type NewStep = Omit<StreamStep, "after">;

/** The log of a key on a server that many machines share, on this one's timeline. It ends with its first error. */
export class SharedStream {
  state: LimiterState = emptyState();
  problem: string | undefined;
  readonly #options: SharedStreamOptions;
  #connection: Promise<StreamConnection> | undefined;
  readonly #unawaited = new Set<Promise<unknown>>();
  /** The last entry that was read, and its time by the uptime of this machine. */
  #last = { id: startId, at: 0 };
  #isRead = false;
  #sinceSnapshot = 0;
  /** Whether the stream was read from its beginning, and did not get what it may have lost. */
  #mayHaveLost = false;

  constructor(options: SharedStreamOptions) {
    this.#options = options;
  }

  /** Whether it was used, and nothing is wrong with it. */
  get isInForce(): boolean {
    return this.#connection !== undefined && this.problem === undefined;
  }

  /** Writes `events`, if given, reads, and returns what `then` then returns; undefined if the server can't be used. */
  async step<T>(
    events: readonly LimiterEvent[] | undefined,
    then: () => T,
  ): Promise<T | undefined> {
    if (this.#connection === undefined) this.problem ??= this.#options.knownProblem();
    if (this.problem !== undefined) return undefined;
    try {
      const connection = await (this.#connection ??= this.#options.connect());
      const result = await this.#run(connection, events ? { add: newEntry(events) } : {}, then);
      this.#maintain(connection);
      return result;
    } catch (error) {
      await this.#giveUp(error);
      return undefined;
    }
  }

  /** Writes `event`, or only reads, and waits for neither; does nothing unless the stream is in force. */
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
  async #run<T>(connection: StreamConnection, step: NewStep, then: () => T): Promise<T> {
    let reply = await connection.step({ ...step, after: this.#last.id });
    // What was added is the last entry, unless a failover has set the stream back.
    if (reply.addedId !== undefined && reply.entries.at(-1)?.id !== reply.addedId) {
      this.#reset();
      reply = await connection.step({ after: startId });
    }
    this.#read(reply);
    this.#options.onRead(this.state);
    return then();
  }

  /** Applies the entries of a reply: to an empty state at first, and if unread entries are gone. */
  #read({ entries, firstId, serverMs }: StreamReply): void {
    const now = this.#options.now();
    const isRebuilt = !this.#continuesAt(firstId);
    if (isRebuilt) this.#reset();
    this.#isRead = true;
    this.#mayHaveLost ||= isRebuilt;
    const lastId = entries.at(-1)?.id ?? this.#last.id;
    if (idMs(lastId) > serverMs + maxAheadMs) throw new Error("its entries are from the future");
    const readMs = Math.max(serverMs, idMs(lastId));
    // Concurrent steps read on from the same entry.
    const unread = entries.filter(({ id }) => compareIds(id, this.#last.id) > 0);
    const { events, sinceSnapshot = this.#sinceSnapshot + unread.length } = unfoldEntries(
      unread,
      isRebuilt,
    );
    for (const [ms, event] of events) {
      const stamp = { ...now, uptime: now.uptime - Math.max(0, readMs - ms) };
      applyRecord(this.state, { stamp, event }, now);
    }
    this.#sinceSnapshot = sinceSnapshot;
    this.#last = { id: lastId, at: now.uptime - (readMs - idMs(lastId)) };
  }

  /** Returns whether no unread entry is gone from a stream that now begins with `firstId`. */
  #continuesAt(firstId: string | undefined): boolean {
    if (!this.#isRead) return false;
    if (firstId === undefined) return this.#last.id === startId;
    return compareIds(firstId, this.#last.id) <= 0;
  }

  /** Forgets everything that was read. */
  #reset(): void {
    this.state = emptyState();
    this.#isRead = false;
    this.#last = { id: startId, at: 0 };
    this.#sinceSnapshot = 0;
  }

  /** Adds what a stream that was read from its beginning may have lost, and a snapshot, if one is due. */
  #maintain(connection: StreamConnection): void {
    const lost = this.#mayHaveLost ? this.#options.onRebuilt(this.state) : [];
    this.#mayHaveLost = false;
    const add = (step: NewStep): void => {
      const work = this.#run(connection, step, () => {});
      this.#track(work.catch((error: unknown) => this.#giveUp(error)));
    };
    if (lost.length > 0) add({ add: newEntry(lost) });
    const count = this.#sinceSnapshot;
    if (count > snapshotAfter && (count % snapshotTurns === 0 || count > 2 * snapshotAfter))
      add(this.#snapshot());
  }

  /** Returns the step that adds a snapshot of everything that was read, and removes what it stands for. */
  #snapshot(): NewStep {
    this.#sinceSnapshot = 0;
    const { id, at } = this.#last;
    // Their times count from the last entry, without any clock of this machine.
    const events = snapshotRecords(this.state, this.#options.now()).map(({ stamp, event }) => {
      return [stamp.uptime - at, event] as const;
    });
    return { add: encodeEntry(events, id), trimTo: id };
  }

  async #giveUp(error: unknown): Promise<void> {
    if (this.problem !== undefined) return;
    this.problem = errorMessage(error);
    this.#options.onProblem(this.problem);
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    (await connection?.catch(() => undefined))?.close();
  }
}

/** Returns the entry of events that happen now: their time is that of the entry. */
const newEntry = (events: readonly LimiterEvent[]): readonly string[] =>
  encodeEntry(events.map((event) => [0, event]));
