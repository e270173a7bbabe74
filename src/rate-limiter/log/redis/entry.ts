import { decodeLines, encodeSnapshot } from "../codec.ts";
import type { LogRecord } from "../records.ts";
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

/** Returns the content of an entry; undefined if it is invalid, as anyone may write to the server. */
export function decodeEntry({ id, fields }: StreamEntry): StreamRecords | undefined {
  if (!isStreamId(id)) return undefined;
  const isSnapshot = fields[0] === coversField;
  const [name, text = ""] = isSnapshot ? fields.slice(2) : fields;
  if (name !== recordsField) return undefined;
  const [line] = decodeLines([text]);
  if (line === undefined || !("snapshot" in line)) return undefined;
  if (!isSnapshot) return { records: line.snapshot };
  const [, covers = ""] = fields;
  return isStreamId(covers) ? { records: line.snapshot, covers } : undefined;
}
