import { crc32 } from "node:zlib";

/** What a row record tells: it is about to be sent; it was refused, and so not sent; or how it ended. */
export type RowEvent = "send" | "back" | "added" | "rejected" | "unknown";

/** What a journal is of. */
interface JournalBegin {
  readonly kind: "begin";
  /** How many rows the input has. */
  readonly rows: number;
  /** The hash of the input's content and the base URL that the journal is named by. */
  readonly name: string;
  /** A hash that tells the key that the run was begun with from others. */
  readonly key: string;
  /** What the input was called, for a human. */
  readonly input: string;
}

/** What a journal is made of. Rows are counted from 0. */
export type JournalRecord =
  | JournalBegin
  | { readonly kind: Exclude<RowEvent, "added">; readonly row: number }
  | { readonly kind: "added"; readonly row: number; readonly id: bigint }
  | { readonly kind: "again"; readonly key: string }
  | { readonly kind: "finished" };

/** The word that a journal begins with; its version follows. */
export const magic = "pets-bulk-journal";
/** The version of the format that is written. */
export const version = "1";
/** A line of more characters than this is no record. */
export const longestLine = 1024;

const longestInputName = 80;
// A fifth of the time that a number takes to turn itself into digits.
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * A record as it is written, in printable ASCII: words, the CRC-32 of them that goes on from the
 * `before` of the record before (so that a line that is lost or doubled is found), a line end.
 */
export function recordLine(record: JournalRecord, before: number): Line {
  const body = bodyOf(record);
  const crc = crc32(body, before);
  return { text: `${body}${crcWord(crc)}\n`, crc };
}

/** The last word of a record, with the space before it. */
export function crcWord(crc: number): string {
  return ` ${hex[crc >>> 24]}${hex[(crc >>> 16) & 0xff]}${hex[(crc >>> 8) & 0xff]}${hex[crc & 0xff]}`;
}

/** A record as it is written, and the CRC that the next one goes on from. */
interface Line {
  readonly text: string;
  readonly crc: number;
}

function bodyOf(record: JournalRecord): string {
  switch (record.kind) {
    case "begin": {
      const { rows, name, key, input } = record;
      return `${magic} ${version} ${rows} ${name} ${key} ${encodeToken(input)}`;
    }
    case "added":
      return `added ${record.row} ${record.id}`;
    case "again":
      return `again ${record.key}`;
    case "finished":
      return "finished";
    case "send":
    case "back":
    case "rejected":
    case "unknown":
      return `${record.kind} ${record.row}`;
    default:
      throw new TypeError(`unknown record ${String(record satisfies never)}`);
  }
}

/** The end of `text`, which tells most of a path, as one word of ASCII characters. */
function encodeToken(text: string): string {
  return encodeURIComponent(text.slice(-longestInputName).toWellFormed()) || "-";
}
