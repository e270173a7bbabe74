import type { LimiterEvent } from "../../rules/records.ts";
import { decodeLines, encodeSnapshot } from "../codec.ts";

/** An entry of a stream: its id, and its fields and values one after the other. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
}

type TimedEvent = readonly [ms: number, event: LimiterEvent];

/** The content of an entry: events with their times since the epoch by the server's clock. */
interface EntryContent {
  readonly events: readonly TimedEvent[];
  /** For a snapshot: the id of the last entry that it stands for. */
  readonly covers?: string;
}

export const startId = "0-0";

/** Returns whether `text` is the id of an entry: milliseconds and a count (Redis, XADD). */
export function isStreamId(text: string): boolean {
  return /^\d{1,15}-\d{1,15}$/.test(text);
}

/** Returns the time of an id, in ms since the epoch by the server's clock. */
export function idMs(id: string): number {
  return Number(id.split("-", 1)[0]);
}

/** Returns a negative number if the id `a` is before `b`, a positive one if it is after it, else 0. */
export function compareIds(a: string, b: string): number {
  return idMs(a) - idMs(b) || Number(a.split("-")[1]) - Number(b.split("-")[1]);
}

const recordsField = "r";
const coversField = "s";

/** Returns the fields of an entry; the times of `events` count from its id, or from the one that a snapshot covers. */
export function encodeEntry(events: readonly TimedEvent[], covers?: string): readonly string[] {
  const records = events.map(([uptime, event]) => ({
    stamp: { boot: "", uptime, wall: 0 },
    event,
  }));
  const fields = [recordsField, encodeSnapshot(records).trimStart()];
  return covers === undefined ? fields : [...fields, coversField, covers];
}

/** Returns the content of an entry; no events if it is invalid, as others may write to the server. */
export function decodeEntry({ id, fields }: StreamEntry): EntryContent {
  const [name, text = "", , covers] = fields;
  const [line] = name === recordsField ? decodeLines([text]) : [];
  if (!line?.isSnapshot) return { events: [] };
  if (covers !== undefined && !(isStreamId(covers) && compareIds(covers, id) < 0))
    return { events: [] };
  // No event is newer than its entry: otherwise it would count as new to every later reader.
  const timeOf = (offset: number): number => Math.min(idMs(covers ?? id) + offset, idMs(id));
  const events = line.records.map(({ stamp, event }) => [timeOf(stamp.uptime), event] as const);
  return covers === undefined ? { events } : { events, covers };
}

/** Returns what `entries` hold, in order; of a stream that is read `fromStart`, first the snapshot that covers most. */
export function unfoldEntries(entries: readonly StreamEntry[], fromStart: boolean) {
  const read = entries.map((entry) => ({ id: entry.id, ...decodeEntry(entry) }));
  const snapshots = read.filter(({ covers }) => covers !== undefined);
  const [latest] = fromStart
    ? snapshots.toSorted((a, b) => compareIds(b.covers ?? startId, a.covers ?? startId))
    : [];
  const uncovered = read.filter(({ id, covers }) => {
    return covers === undefined && compareIds(id, latest?.covers ?? startId) > 0;
  });
  const events = [latest, ...uncovered].flatMap((content) => content?.events ?? []);
  // Only a few entries can be between what a snapshot covers and itself.
  const lastSnapshot = read.findLastIndex(({ covers }) => covers !== undefined);
  return { events, sinceSnapshot: lastSnapshot === -1 ? undefined : read.length - lastSnapshot };
}
