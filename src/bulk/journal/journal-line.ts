import { crc32 } from "node:zlib";
import { magic, crcWord, type RowEvent, version } from "./codec.ts";

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
