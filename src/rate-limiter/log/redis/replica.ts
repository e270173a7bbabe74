import type { LimiterEvent, LogRecord, Timestamp } from "../../rules/records.ts";
import { applyRecord } from "../../rules/reducer.ts";
import { snapshotRecords } from "../../rules/snapshot.ts";
import { emptyState, type LimiterState } from "../../rules/state.ts";
import { decodeEntry, encodeEntry, entrySize, type StreamRecords } from "./entry.ts";
import { compareIds, idMs, startId, type StreamEntry, type StreamReply } from "./stream.ts";

/** After this many entries since the last snapshot, the next one is due: every process reads them all. */
const snapshotAfterEntries = 200;
/** The same for their size, in characters. */
const snapshotAfterSize = 64 * 1024;

/** How far ahead of the server's time, in ms, the last entry may be: its clock may have been set back. */
const maxAheadMs = 24 * 60 * 60_000;

/** How far ahead a window of another machine may end, in ms, so that it delays nobody for longer. */
const maxWindowAheadMs = 24 * 60 * 60_000;

/** From then on, the snapshot is written by the process that adds the n-th entry, for multiples n of this. */
const snapshotTurns = 16;

interface ReadEntry extends StreamRecords {
  readonly id: string;
  readonly size: number;
}

/** What this process has read of a stream, and the resulting state, on the machine's timeline. */
export class StreamReplica {
  state: LimiterState = emptyState();
  /** The id of the last entry that was read. */
  lastId = startId;
  #isRead = false;
  /** The time of `lastId`, by the uptime of this machine. */
  #lastAt = 0;
  #entries = 0;
  #size = 0;

  /** Whether there are so many entries since the last snapshot that the next one is due. */
  get needsSnapshot(): boolean {
    const count = this.#entries;
    // One of the processes that add the next entries does it, not all of them.
    const isTurn = count % snapshotTurns === 0 || count > 2 * snapshotAfterEntries;
    return (count > snapshotAfterEntries && isTurn) || this.#size > snapshotAfterSize;
  }

  /** Forgets everything that was read, for a stream that does not continue from there. */
  reset(): void {
    this.state = emptyState();
    this.lastId = startId;
    this.#entries = 0;
    this.#size = 0;
  }

  /**
   * Applies the entries of `reply` at `now`; returns true if the state was rebuilt from the whole stream:
   * at first, and if unread entries are gone. Calls `checkTime` often; throws what it throws.
   */
  read(reply: StreamReply, now: Timestamp, checkTime: () => void = () => {}): boolean {
    const { entries } = reply;
    if (idMs(entries.at(-1)?.id ?? startId) > reply.serverMs + maxAheadMs)
      throw new Error("its entries are from the future");
    const isRebuilt = !this.#goesOn(reply);
    if (isRebuilt) this.reset();
    this.#isRead = true;
    const serverMs = Math.max(reply.serverMs, idMs(entries.at(-1)?.id ?? this.lastId));
    // Concurrent steps read on from the same entry.
    const unread = entries.filter(({ id }) => compareIds(id, this.lastId) > 0);
    const read = unread.map((entry) => {
      checkTime();
      return readEntry(entry);
    });
    const latest = isRebuilt ? latestSnapshot(read) : undefined;
    if (latest !== undefined) this.#apply(latest, serverMs, now);
    for (const entry of read) {
      checkTime();
      this.#take(entry, latest?.covers, serverMs, now);
    }
    this.lastId = entries.at(-1)?.id ?? this.lastId;
    this.#lastAt = now.uptime - (serverMs - idMs(this.lastId));
    return isRebuilt;
  }

  /** Returns true if `reply` continues from what was read: no unread entry is gone. */
  #goesOn({ firstId }: StreamReply): boolean {
    if (!this.#isRead) return false;
    if (firstId === undefined) return this.lastId === startId;
    return compareIds(firstId, this.lastId) <= 0;
  }

  /** Returns the entry of a snapshot of everything that was read. */
  snapshot(now: Timestamp): { readonly add: readonly string[]; readonly trimTo: string } {
    const records = snapshotRecords(this.state, now).map((record) =>
      relativeTo(this.#lastAt, record),
    );
    return { add: encodeEntry({ records, covers: this.lastId }), trimTo: this.lastId };
  }

  /** Notes that this process writes a snapshot now. */
  expectSnapshot(): void {
    this.#entries = 0;
    this.#size = 0;
  }

  #take(entry: ReadEntry, covered: string | undefined, serverMs: number, now: Timestamp): void {
    if (entry.covers !== undefined) {
      // Only a few entries can be between what it covers and itself.
      this.#entries = 1;
      this.#size = entry.size;
      return;
    }
    if (covered !== undefined && compareIds(entry.id, covered) <= 0) return;
    this.#entries += 1;
    this.#size += entry.size;
    this.#apply(entry, serverMs, now);
  }

  #apply({ id, covers = id, records }: ReadEntry, serverMs: number, now: Timestamp): void {
    for (const { stamp, event } of records) {
      // No record is newer than its entry: otherwise it would count as new to every later reader.
      const at = Math.min(idMs(covers) + stamp.uptime, idMs(id));
      const uptime = now.uptime - Math.max(0, serverMs - at);
      applyRecord(this.state, { stamp: { ...now, uptime }, event: bounded(event) }, now);
    }
  }
}

/** Decodes an entry; an invalid one has no records, and is removed with the others. */
function readEntry(entry: StreamEntry): ReadEntry {
  const { id } = entry;
  const size = entrySize(entry);
  const content = decodeEntry(entry);
  // A snapshot that covers later entries than itself is invalid.
  const isValid = content?.covers === undefined || compareIds(content.covers, id) < 0;
  return content !== undefined && isValid ? { id, size, ...content } : { id, size, records: [] };
}

/** Returns the snapshot that covers most. */
function latestSnapshot(entries: readonly ReadEntry[]): ReadEntry | undefined {
  const snapshots = entries.filter(({ covers }) => covers !== undefined);
  return snapshots.toSorted((a, b) => compareIds(a.covers ?? startId, b.covers ?? startId)).at(-1);
}

/** Returns `record` with its time counted from `at`, without any clock of this machine. */
function relativeTo(at: number, { stamp, event }: LogRecord): LogRecord {
  return { stamp: { boot: "", uptime: stamp.uptime - at, wall: 0 }, event };
}

/** Returns `event` with a window that ends within `maxWindowAheadMs`. */
function bounded(event: LimiterEvent): LimiterEvent {
  if (event.kind !== "reply" && event.kind !== "limits") return event;
  const { endsIn } = event.limits;
  if (endsIn === undefined || endsIn <= maxWindowAheadMs) return event;
  return { ...event, limits: { ...event.limits, endsIn: maxWindowAheadMs } };
}
