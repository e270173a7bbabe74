import type { LogRecord } from "../../rules/records.ts";
import { decodeLines, encodeSnapshot } from "../codec.ts";
import { isStreamId, type StreamEntry } from "./stream.ts";

/** The content of an entry of the stream. A record's uptime is in ms after the time that it counts from. */
export interface StreamRecords {
  readonly records: readonly LogRecord[];
  /**
   * In a snapshot: the id of the last entry in it, from which the times of its records count. Those of
   * another entry count from its own id.
   */
  readonly covers?: string;
}

// The fields of an entry.
const recordsField = "r";
const coversField = "s";

/** Returns the fields of an entry. */
export function encodeEntry({ records, covers }: StreamRecords): readonly string[] {
  const text = encodeSnapshot(records).trimStart();
  return covers === undefined ? [recordsField, text] : [coversField, covers, recordsField, text];
}

/** Entries with more characters or permits than this were not written by this program. */
const maxSize = 64 * 1024;
const maxPermits = 100;

/** Returns how many characters an entry has. */
export function entrySize({ fields }: StreamEntry): number {
  return fields.reduce((sum, text) => sum + text.length, 0);
}

/** Returns the content of an entry; undefined if it is invalid, as others may write to the server. */
export function decodeEntry(entry: StreamEntry): StreamRecords | undefined {
  if (entrySize(entry) > maxSize) return undefined;
  const content = decodeFields(entry.fields);
  const permits = content?.records.filter(({ event: { kind } }) => permitKinds.has(kind)) ?? [];
  return permits.length > maxPermits ? undefined : content;
}

const permitKinds: ReadonlySet<string> = new Set(["reserve", "probe"]);

function decodeFields(fields: readonly string[]): StreamRecords | undefined {
  const isSnapshot = fields[0] === coversField;
  const [name, text = ""] = isSnapshot ? fields.slice(2) : fields;
  if (name !== recordsField) return undefined;
  const [line] = decodeLines([text]);
  if (line === undefined || !("snapshot" in line)) return undefined;
  if (!isSnapshot) return { records: line.snapshot };
  const [, covers = ""] = fields;
  return isStreamId(covers) ? { records: line.snapshot, covers } : undefined;
}
