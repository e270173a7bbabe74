import type { LogRecord } from "../../rules/records.ts";
import { decodeLines, encodeSnapshot } from "../codec.ts";

/** An entry of the stream: its id, and its fields and values one after the other. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
}

/** A round trip: adds an entry of the fields `add`, removes what is before `trimTo`, and reads what is after `after`. */
export interface StreamStep {
  readonly add?: readonly string[];
  readonly trimTo?: string;
  readonly after: string;
}

/** What a step found, all at the same moment. */
export interface StreamReply {
  readonly addedId?: string | undefined;
  readonly entries: readonly StreamEntry[];
  readonly firstId?: string | undefined;
  readonly serverMs: number;
}

export interface Stream {
  /** Runs a step in one atomic round trip, in the order of the calls. Rejects if the server can't be used. */
  step(step: StreamStep): Promise<StreamReply>;
  /** Closes the connection; steps in flight are given up. */
  close(): void;
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

/** The content of an entry. The uptimes of its records count from its own id; in a snapshot, from the id that it covers. */
export interface StreamRecords {
  readonly records: readonly LogRecord[];
  readonly covers?: string;
}

const recordsField = "r";
const coversField = "s";

/** Returns the fields and values of an entry, in turn. */
export function encodeEntry({ records, covers }: StreamRecords): readonly string[] {
  const fields = [recordsField, encodeSnapshot(records).trimStart()];
  return covers === undefined ? fields : [...fields, coversField, covers];
}

/** Returns the content of an entry; no records if it is invalid, as others may write to the server. */
export function decodeEntry({ id, fields }: StreamEntry): StreamRecords {
  const [name, text = "", , covers] = fields;
  const [line] = name === recordsField ? decodeLines([text]) : [];
  if (!line?.isSnapshot) return { records: [] };
  const { records } = line;
  if (covers === undefined) return { records };
  return isStreamId(covers) && compareIds(covers, id) < 0 ? { records, covers } : { records: [] };
}
