import type { RowFault } from "../types.ts";
import { quote } from "./fields.ts";

/** A place in a text; both from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The text of an element of a JSON array, undefined if it is too long, and where it begins. */
export interface JsonElement extends TextPlace {
  readonly text: string | undefined;
}

/** Returns the fault of a character that JSON does not have at its place; undefined is the end of the text. */
export function unexpected(char: string | undefined, { line, column }: TextPlace): RowFault {
  const what = char === undefined ? "end of file" : quote(char);
  return {
    message: `is not valid JSON: unexpected ${what} (line ${line}, column ${column}); the rest of the file was not read`,
    textLine: line,
    fatal: "content",
  };
}

/** Returns what is wrong with an element that is not JSON. */
export function faultIn(element: JsonElement): RowFault {
  const { text = "" } = element;
  const at = jsonFaultAt(text);
  return unexpected(text[at], placeIn(element, at));
}

/** Returns the place in the file of an index in an element. */
export function placeIn({ text = "", line, column }: JsonElement, at: number): TextPlace {
  const before = text.slice(0, Math.max(0, at)).split("\n");
  const { length } = before.at(-1) ?? "";
  return { line: line + before.length - 1, column: length + (before.length === 1 ? column : 1) };
}

const blanks = /[ \t\r\n]*/y;
/** Matches a token of JSON, or the start of a string that is not closed; captures the closing quote. */
const token =
  /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*("?)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;

/** What may come next, by its first character (0: a number or a word), and what follows it, the last first (RFC 8259). */
const grammar: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  value: { '"': [], 0: [], "{": ["firstKey"], "[": ["firstItem"] },
  firstKey: { "}": [], '"': ["pairs", "value", "colon"] },
  pairs: { "}": [], ",": ["pairs", "value", "colon", "key"] },
  key: { '"': [] },
  colon: { ":": [] },
  firstItem: {
    "]": [],
    '"': ["items"],
    0: ["items"],
    "{": ["items", "firstKey"],
    "[": ["items", "firstItem"],
  },
  items: { "]": [], ",": ["items", "value"] },
};

/**
 * Returns where a text stops being JSON, which is its length if it only ends too early. To be used when it could not
 * be parsed: no error of `JSON.parse` tells the place but in its message.
 */
function jsonFaultAt(text: string): number {
  const expected = ["value"];
  for (let at = 0; ;) {
    blanks.lastIndex = at;
    blanks.test(text);
    token.lastIndex = at = blanks.lastIndex;
    const [found = "", closing] = token.exec(text) ?? [];
    const first = found.slice(0, 1);
    const kind = '"{}[],:'.includes(first) ? first : "0";
    const next = grammar[expected.pop() ?? ""]?.[kind];
    if (next === undefined) return at;
    at += found.length;
    if (closing === "") return at;
    expected.push(...next);
  }
}

const partOfObject = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * Returns a key that comes twice in one of the objects of a valid JSON text, down to a depth of `most`; JSON.parse
 * keeps only the last of such. `value` is the parsed text.
 */
export function repeatedKey(text: string, value: object, most: number): string | undefined {
  if (countColons(text) === Object.keys(value).length) return undefined;
  const seen: Set<string>[] = [];
  let last = "";
  for (const [part] of text.matchAll(partOfObject)) {
    if (part === "{" || part === "[") seen.push(new Set());
    else if (part === "}" || part === "]") seen.pop();
    else if (part !== ":") last = part;
    else if (seen.length <= most) {
      const key = String(JSON.parse(last));
      if (seen.at(-1)?.has(key)) return key;
      seen.at(-1)?.add(key);
    }
  }
  return undefined;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) count += 1;
  return count;
}
