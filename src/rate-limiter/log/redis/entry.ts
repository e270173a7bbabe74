import type { LogRecord } from "../../rules/records.ts";
import { decodeLines, encodeSnapshot } from "../codec.ts";
import { compareIds, isStreamId, type StreamEntry } from "./stream.ts";

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
  const fields = [recordsField, encodeSnapshot(records).trimStart()];
  return covers === undefined ? fields : [...fields, coversField, covers];
}

/** Returns the content of an entry; no records if it is invalid, as others may write to the server. */
export function decodeEntry({ id, fields }: StreamEntry): StreamRecords {
  const [name, text = "", , covers] = fields;
  const [line] = name === recordsField ? decodeLines([text]) : [];
  const { isSnapshot = false, records = [] } = line ?? {};
  const isValid =
    isSnapshot && (covers === undefined || (isStreamId(covers) && compareIds(covers, id) < 0));
  if (!isValid) return { records: [] };
  return covers === undefined ? { records } : { records, covers };
}
