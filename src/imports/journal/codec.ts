import { crc32 } from "node:zlib";

/**
 * What happened to a row: it is about to be sent, the service refused the send, or it ended; or a row
 * in doubt was found in the store's lists, or proved absent from them.
 */
export type RowEvent = "send" | "refused" | "added" | "rejected" | "unknown" | "found" | "absent";

/** Why rows that other runs added are not compared again: they are not sent, or sent anyway. */
export type RowMark = "known" | "accepted";

/** The first record: which input the journal belongs to. */
interface JournalBegin {
  readonly kind: "begin";
  /** How many rows the input has. */
  readonly rows: number;
  /** `journalName` of the input's content and the base URL. */
  readonly name: string;
  /** A hash of the API key that the run was started with. */
  readonly key: string;
  /** The name of the input, for people who read the file. */
  readonly input: string;
}

/** A record of a journal. Rows are counted from 0. */
export type JournalRecord =
  | JournalBegin
  | { readonly kind: Exclude<RowEvent, "added" | "found">; readonly row: number }
  | { readonly kind: "added" | "found"; readonly row: number; readonly id: bigint }
  | { readonly kind: RowMark; readonly row: number; readonly count: number }
  /** The id of the store that the rows are sent to. */
  | { readonly kind: "store"; readonly id: string }
  | { readonly kind: "again"; readonly key: string }
  | { readonly kind: "finished" };

/** The first word of a journal; its version follows. */
const magic = "pets-bulk-journal";
/** The version of the format that is written; version 1 has fewer kinds of record. */
const version = "2";
const readVersions: ReadonlySet<string> = new Set(["1", version]);
/** The word for `refused` in the file. */
const refusedWord = "back";
/** The maximum length of a line, in characters: longer lines are not records. */
export const maxLineLength = 1024;

const maxInputName = 80;
// A table takes a fifth of the time of Number.prototype.toString.
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * Returns a record as a line of printable ASCII: words, their CRC-32, a line end. The CRC continues
 * from `before`, that of the previous record, so a missing or repeated line is detected.
 */
export function encodeLine(record: JournalRecord, before: number): EncodedLine {
  const body = bodyOf(record);
  const crc = crc32(body, before);
  return { text: `${body}${crcWord(crc)}\n`, crc };
}

/** Returns the last word of a record, with the space before it. */
function crcWord(crc: number): string {
  return ` ${hex[crc >>> 24]}${hex[(crc >>> 16) & 0xff]}${hex[(crc >>> 8) & 0xff]}${hex[crc & 0xff]}`;
}

/** An encoded record, and the CRC that the next one continues from. */
interface EncodedLine {
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
    case "found":
      return `${record.kind} ${record.row} ${record.id}`;
    case "known":
    case "accepted":
      return `${record.kind} ${record.row} ${record.count}`;
    case "store":
      return `store ${record.id}`;
    case "again":
      return `again ${record.key}`;
    case "finished":
      return "finished";
    case "refused":
      return `${refusedWord} ${record.row}`;
    case "send":
    case "rejected":
    case "unknown":
    case "absent":
      return `${record.kind} ${record.row}`;
    default:
      throw new TypeError(`unknown record ${String(record satisfies never)}`);
  }
}

/** Returns the end of `text`, the meaningful part of a path, as one word of ASCII characters. */
function encodeToken(text: string): string {
  return encodeURIComponent(text.slice(-maxInputName).toWellFormed()) || "-";
}

/** The parts of a record that a replay needs. */
export type ReadRecord =
  | { readonly kind: "begin"; readonly rows: number; readonly name: string; readonly key: string }
  | Exclude<JournalRecord, JournalBegin>;

/** The spelling of a word, complete and with its end cut off. */
interface Spelling {
  readonly whole: RegExp;
  readonly partial: RegExp;
}

const count: Spelling = { whole: /^(?:0|[1-9]\d{0,14})$/, partial: /^\d{0,15}$/ };
const ours: Spelling = { whole: /^[12]$/, partial: /^\d{0,9}$/ };
const int64: Spelling = { whole: /^-?\d{1,19}$/, partial: /^-?\d{0,19}$/ };
const hash: Spelling = { whole: /^[0-9a-f]{32}$/, partial: /^[0-9a-f]{0,32}$/ };
const word: Spelling = { whole: /^[!-~]+$/, partial: /^[!-~]*$/ };
const crc: Spelling = { whole: /^[0-9a-f]{8}$/, partial: /^[0-9a-f]{0,7}$/ };

const crcLength = crcWord(0).length;

// The words of each record after its first, up to the CRC.
const shapes: ReadonlyMap<string, readonly Spelling[]> = new Map([
  [magic, [ours, count, hash, hash, word]],
  ["send", [count]],
  [refusedWord, [count]],
  ["added", [count, int64]],
  ["rejected", [count]],
  ["unknown", [count]],
  ["found", [count, int64]],
  ["absent", [count]],
  ["known", [count, count]],
  ["accepted", [count, count]],
  ["store", [word]],
  ["again", [hash]],
  ["finished", []],
]);

/**
 * Parses a line without its end. Returns the record and its CRC; undefined if the line is not a
 * record that may follow one with the CRC `before`.
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

/** Returns whether `text` may be the beginning of a record, the first one or a later one. */
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

/** Returns the version in the first line of a journal if it differs from ours. */
export function otherVersion(text: string): string | undefined {
  const found = new RegExp(`^${magic} ([1-9]\\d{0,8}) `).exec(text)?.[1];
  return found !== undefined && readVersions.has(found) ? undefined : found;
}

function fits(words: readonly string[], shape: readonly Spelling[]): boolean {
  return words.every((each, index) => shape[index]?.whole.test(each));
}

/** Reads a line with a valid CRC, which this version or another wrote. */
function recordOf(text: string): ReadRecord | undefined {
  const space = text.indexOf(" ");
  const kind = text.slice(0, space);
  switch (kind) {
    case refusedWord:
      return { kind: "refused", row: rowOf(text, space) };
    case "send":
    case "rejected":
    case "unknown":
    case "absent":
      return { kind, row: rowOf(text, space) };
    case "added":
    case "found":
      return { kind, row: rowOf(text, space), id: BigInt(text.split(" ")[2] ?? "") };
    case "known":
    case "accepted":
      return { kind, row: rowOf(text, space), count: Number(text.split(" ")[2]) };
    case "store":
      return { kind, id: text.split(" ")[1] ?? "" };
    case "finished":
      return { kind };
    case "again":
      return { kind, key: text.split(" ")[1] ?? "" };
    case magic: {
      const [, found, rows, name = "", key = ""] = text.split(" ");
      return found !== undefined && readVersions.has(found)
        ? { kind: "begin", rows: Number(rows), name, key }
        : undefined;
    }
    default:
      return undefined;
  }
}

function rowOf(text: string, space: number): number {
  return Number(text.slice(space + 1, text.indexOf(" ", space + 1)));
}
