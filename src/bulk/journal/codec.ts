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
const magic = "pets-bulk-journal";
/** The version of the format that is written. */
const version = "1";
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
function crcWord(crc: number): string {
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

/** What replaying needs of a record. */
export type ReadRecord =
  | { readonly kind: "begin"; readonly rows: number; readonly name: string; readonly key: string }
  | { readonly kind: RowEvent; readonly row: number }
  | { readonly kind: "again"; readonly key: string }
  | { readonly kind: "finished" };

/** How a word of a record is spelled, and what there may be of it where the end was cut off. */
interface Spelling {
  readonly whole: RegExp;
  readonly partial: RegExp;
}

const count: Spelling = { whole: /^(?:0|[1-9]\d{0,14})$/, partial: /^\d{0,15}$/ };
const ours: Spelling = { whole: new RegExp(`^${version}$`), partial: /^\d{0,9}$/ };
const int64: Spelling = { whole: /^-?\d{1,19}$/, partial: /^-?\d{0,19}$/ };
const hash: Spelling = { whole: /^[0-9a-f]{32}$/, partial: /^[0-9a-f]{0,32}$/ };
const word: Spelling = { whole: /^[!-~]+$/, partial: /^[!-~]*$/ };
const crc: Spelling = { whole: /^[0-9a-f]{8}$/, partial: /^[0-9a-f]{0,7}$/ };

const crcLength = crcWord(0).length;

// The words of each record after its first, up to the CRC.
const shapes: ReadonlyMap<string, readonly Spelling[]> = new Map([
  [magic, [ours, count, hash, hash, word]],
  ["send", [count]],
  ["back", [count]],
  ["added", [count, int64]],
  ["rejected", [count]],
  ["unknown", [count]],
  ["again", [hash]],
  ["finished", []],
]);

/**
 * The record that `text` is, a line without its end, and the CRC to go on from; undefined where it
 * is none that may follow a record with the CRC `before`.
 */
export function parseRecord(
  text: string,
  before: number,
): { readonly record: ReadRecord; readonly crc: number } | undefined {
  const bodyLength = Math.max(0, text.length - crcLength);
  const own = crc32(text.slice(0, bodyLength), before);
  if (text.slice(bodyLength) !== crcWord(own)) return undefined;
  const record = recordOf(text);
  return record && { record, crc: own };
}

/** Whether `text` may be the beginning of a record, the first one or one of those after it. */
export function isTruncatedRecord(text: string, isFirst: boolean): boolean {
  const [kind = "", ...words] = text.split(" ");
  if (words.length === 0) {
    const kinds = isFirst ? [magic] : [...shapes.keys()].filter((each) => each !== magic);
    return kinds.some((each) => each.startsWith(kind));
  }
  const shape = shapes.get(kind);
  if (shape === undefined || (kind === magic) !== isFirst) return false;
  const last = [...shape, crc][words.length - 1];
  return fits(words.slice(0, -1), shape) && (last?.partial.test(words.at(-1) ?? "") ?? false);
}

/** The version that the first line of a journal tells, where that is another than ours. */
export function otherVersion(text: string): string | undefined {
  const told = new RegExp(`^${magic} ([1-9]\\d{0,8}) `).exec(text)?.[1];
  return told === version ? undefined : told;
}

function fits(words: readonly string[], shape: readonly Spelling[]): boolean {
  return words.every((each, place) => shape[place]?.whole.test(each));
}

/** What a line says whose CRC is right: it is as we wrote it, in this version or another. */
function recordOf(text: string): ReadRecord | undefined {
  const space = text.indexOf(" ");
  const kind = text.slice(0, space);
  switch (kind) {
    case "send":
    case "back":
    case "added":
    case "rejected":
    case "unknown":
      return { kind, row: Number(text.slice(space + 1, text.indexOf(" ", space + 1))) };
    case "finished":
      return { kind };
    case "again":
      return { kind, key: text.split(" ")[1] ?? "" };
    case magic: {
      const [, told, rows, name = "", key = ""] = text.split(" ");
      return told === version ? { kind: "begin", rows: Number(rows), name, key } : undefined;
    }
    default:
      return undefined;
  }
}
