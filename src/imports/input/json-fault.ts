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
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Returns where a text stops being JSON (RFC 8259), which is its length if it only ends too early. To be
 * used when it could not be parsed: no error of `JSON.parse` tells the place but in its message.
 */
function jsonFaultAt(text: string): number {
  const closing: string[] = [];
  let at = 0;
  /** What may come next; `first` also allows the end of an empty array or object. */
  let next: "value" | "key" | "first" | "colon" | "end" = "value";
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isMatch = pattern.test(text);
    if (isMatch) at = pattern.lastIndex;
    return isMatch;
  };
  for (; ; at += 1) {
    take(blanks);
    const char = text[at];
    const isObject = closing.at(-1) === "}";
    const isKey: boolean = isObject && (next === "key" || next === "first");
    if (char === undefined) return at;
    if ((next === "end" || next === "first") && char === closing.at(-1)) {
      closing.pop();
      next = "end";
    } else if (next === "end" && char === "," && closing.length > 0)
      next = isObject ? "key" : "value";
    else if (next === "colon" && char === ":") next = "value";
    else if (next === "end" || next === "colon" || (isKey && char !== '"')) return at;
    else if (take(string)) {
      if (text[at] !== '"') return at;
      next = isKey ? "colon" : "end";
    } else if (char === "{" || char === "[") {
      closing.push(char === "{" ? "}" : "]");
      next = "first";
    } else if (take(scalar)) {
      at -= 1;
      next = "end";
    } else return at;
  }
}
