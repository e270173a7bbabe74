import type { Timestamp } from "../../rules/records.ts";
import { applyRecord } from "../../rules/reducer.ts";
import { snapshotRecords } from "../../rules/snapshot.ts";
import { emptyState, type LimiterState } from "../../rules/state.ts";
import {
  compareIds,
  decodeEntry,
  encodeEntry,
  idMs,
  startId,
  type StreamRecords,
  type StreamReply,
} from "./stream.ts";

/** After this many entries since the last snapshot, the next one is due: every process reads them all. */
const snapshotAfter = 200;
/** From then on, the snapshot is written by the process that adds the n-th entry, for multiples n of this. */
const snapshotTurns = 16;
/** How far ahead of the server's time the last entry may be: its clock may have been set back. */
const maxAheadMs = 24 * 60 * 60_000;

type ReadEntry = StreamRecords & { readonly id: string };

/** What this process has read of a stream, and the resulting state, on the machine's timeline. */
export class StreamReplica {
  state: LimiterState = emptyState();
  lastId = startId;
  #isRead = false;
  /** The time of `lastId`, by the uptime of this machine. */
  #lastAt = 0;
  #entriesSinceSnapshot = 0;

  get needsSnapshot(): boolean {
    const count = this.#entriesSinceSnapshot;
    return count > snapshotAfter && (count % snapshotTurns === 0 || count > 2 * snapshotAfter);
  }

  /** Forgets everything that was read, for a stream that does not continue from there. */
  reset(): void {
    this.state = emptyState();
    this.lastId = startId;
    this.#isRead = false;
    this.#entriesSinceSnapshot = 0;
  }

  /** Applies the entries of `reply`; returns whether the state was rebuilt: at first, and if unread entries are gone. */
  read(reply: StreamReply, now: Timestamp): boolean {
    const isRebuilt = !this.#goesOn(reply);
    if (isRebuilt) this.reset();
    this.#isRead = true;
    const lastId = reply.entries.at(-1)?.id ?? this.lastId;
    if (idMs(lastId) > reply.serverMs + maxAheadMs)
      throw new Error("its entries are from the future");
    const serverMs = Math.max(reply.serverMs, idMs(lastId));
    // Concurrent steps read on from the same entry.
    const unread = reply.entries.filter(({ id }) => compareIds(id, this.lastId) > 0);
    const read = unread.map((entry) => Object.assign(decodeEntry(entry), { id: entry.id }));
    const latest = isRebuilt ? latestSnapshot(read) : undefined;
    if (latest !== undefined) this.#apply(latest, serverMs, now);
    for (const entry of read) {
      // Only a few entries can be between what a snapshot covers and itself.
      if (entry.covers !== undefined) this.#entriesSinceSnapshot = 0;
      this.#entriesSinceSnapshot += 1;
      const isCovered = compareIds(entry.id, latest?.covers ?? startId) <= 0;
      if (entry.covers === undefined && !isCovered) this.#apply(entry, serverMs, now);
    }
    this.lastId = lastId;
    this.#lastAt = now.uptime - (serverMs - idMs(lastId));
    return isRebuilt;
  }

  /** Returns the entry of a snapshot of everything that was read, for this process to write now. */
  snapshot(now: Timestamp): { readonly add: readonly string[]; readonly trimTo: string } {
    this.#entriesSinceSnapshot = 0;
    // Their times count from the last entry, without any clock of this machine.
    const records = snapshotRecords(this.state, now).map(({ stamp, event }) => ({
      stamp: { boot: "", uptime: stamp.uptime - this.#lastAt, wall: 0 },
      event,
    }));
    return { add: encodeEntry({ records, covers: this.lastId }), trimTo: this.lastId };
  }

  /** Returns true if `reply` continues from what was read: no unread entry is gone. */
  #goesOn({ firstId }: StreamReply): boolean {
    if (!this.#isRead) return false;
    if (firstId === undefined) return this.lastId === startId;
    return compareIds(firstId, this.lastId) <= 0;
  }

  #apply({ id, covers = id, records }: ReadEntry, serverMs: number, now: Timestamp): void {
    for (const { stamp, event } of records) {
      // No record is newer than its entry: otherwise it would count as new to every later reader.
      const at = Math.min(idMs(covers) + stamp.uptime, idMs(id));
      const uptime = now.uptime - Math.max(0, serverMs - at);
      applyRecord(this.state, { stamp: { ...now, uptime }, event }, now);
    }
  }
}

function latestSnapshot(entries: readonly ReadEntry[]): ReadEntry | undefined {
  const snapshots = entries.filter(({ covers }) => covers !== undefined);
  return snapshots.toSorted((a, b) => compareIds(a.covers ?? startId, b.covers ?? startId)).at(-1);
}
