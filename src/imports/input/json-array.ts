import { isLonger } from "../../core/lines.ts";
import type { InputRecord, RowFault } from "../types.ts";
import { quote } from "./fields.ts";
import { faultIn, type JsonElement, placeIn, type TextPlace, unexpected } from "./json-fault.ts";
import { parseJson } from "./ndjson.ts";
import { maxRowBytes, rowAt, type RowOptions } from "./row.ts";
import type { RecordReader } from "./text.ts";

const notBlank = /[^ \t\r\n]/g;
const structure = /["[\]{},:]/g;
/** Matches a string up to its closing quote, to a backslash that ends the text, or to the end of it. */
const inString = /[^"\\]*(?:\\.[^"\\]*)*/sy;
/** How deep the array may be in an object, and how many characters of a key are compared. */
const maxDepth = 100;
const maxKey = 1000;

/**
 * Reads a JSON array of NewPets, or the one at `options.items` (`data.animals`), by cutting it into its elements; the
 * line of each is its place in the array, from 1.
 */
export class JsonArrayReader implements RecordReader {
  readonly #options: RowOptions;
  #state: "start" | "before" | "within" | "after" = "start";
  /** How many elements have ended. */
  #count = 0;
  #element = "";
  #start: TextPlace = { line: 1, column: 1 };
  /** How many brackets are open in the element. */
  #depth = 0;
  /** The key of each object around the place before the array; undefined for an array. */
  readonly #keys: (string | undefined)[] = [];
  #key = "";
  /** The path of the array that the last character opened. */
  #opened: string | undefined;
  #isInString = false;
  #isEscaped = false;
  #line = 1;
  /** Where the line begins in the piece; negative if in an earlier one. */
  #lineStart = 0;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  *push(piece: string): Generator<InputRecord> {
    let from = 0;
    for (let at = this.#next(piece, 0); at < piece.length; at = this.#next(piece, at + 1)) {
      if (this.#state !== "within") yield* this.#fail(this.#readAround(piece, at));
      else if (this.#isNested(piece[at])) continue;
      else {
        this.#keep(piece.slice(from, at));
        yield* this.#endElement(piece, at);
      }
      from = at + 1;
    }
    if (this.#state === "within") this.#keep(piece.slice(from));
    this.#placeAt(piece, piece.length);
    this.#lineStart -= piece.length;
  }

  *end(fault?: RowFault): Generator<InputRecord> {
    const place = { line: this.#line, column: 1 - this.#lineStart };
    const element = this.#takeElement();
    if (fault === undefined && element?.text !== undefined) yield this.#record(element);
    const isWithin = this.#state === "within";
    if (fault !== undefined)
      yield* this.#fail({ ...fault, ...(isWithin && { textLine: place.line }) });
    else if (isWithin) yield* this.#fail(unexpected(undefined, place));
    else if (this.#state === "before") yield* this.#fail(this.#notArray());
    else if (this.#state === "start")
      yield* this.#fail({ message: "is empty: it must be a JSON array, such as []" });
  }

  /** Yields the record of what is wrong with the text, if anything is. */
  *#fail(fault: RowFault | undefined): Generator<InputRecord> {
    if (fault !== undefined)
      yield { read: { ...fault, line: this.#count + 1, fatal: "content" }, original: "" };
  }

  /** Returns the record of an element that has ended. */
  #record(element: JsonElement): InputRecord {
    const { text } = element;
    const index = this.#count;
    this.#count += 1;
    const read = rowAt(index, index + 1, parseJson(text, this.#options) ?? faultIn(element));
    const original = text?.trim() ?? "";
    if ("pet" in read) return { read, original };
    const { line: textLine } = placeIn(element, text?.search(/[^ \t\r\n]/) ?? 0);
    return { read: { textLine, ...read }, original };
  }

  /** Returns the index of the next character to look at, or the length: outside of strings one of `[]{},:`. */
  #next(piece: string, from: number): number {
    const isAround = this.#state === "start" || this.#state === "after";
    const pattern = isAround ? notBlank : structure;
    for (let at = from; ;) {
      if (this.#isInString) at = this.#endOfString(piece, at);
      pattern.lastIndex = at;
      if (!pattern.test(piece)) return piece.length;
      at = pattern.lastIndex;
      if (isAround || piece[at - 1] !== '"') return at - 1;
      this.#isInString = true;
      this.#key = "";
    }
  }

  /** Returns the index behind the string, or the length. */
  #endOfString(piece: string, from: number): number {
    inString.lastIndex = this.#isEscaped ? from + 1 : from;
    inString.test(piece);
    const end = inString.lastIndex;
    this.#isInString = piece[end] !== '"';
    this.#isEscaped = piece[end] === "\\";
    const part = piece.slice(from, this.#isInString ? piece.length : end);
    if (this.#state === "before" && this.#key.length < maxKey) this.#key += part;
    return end + 1;
  }

  /** Reads a character before or behind the array; returns what is wrong with it. */
  #readAround(piece: string, at: number): RowFault | undefined {
    const char = piece[at];
    const { items } = this.#options;
    if (this.#state === "after")
      return items === undefined ? this.#unexpected(piece, at) : undefined;
    if (this.#state === "start" && char !== "{" && (char !== "[" || items !== undefined))
      return this.#notArray();
    this.#state = "before";
    const opened = this.#opened;
    this.#opened = undefined;
    if (char === "{" && opened !== undefined)
      return {
        message: `must be a JSON array of animals, not an object with an array ${quote(opened)}`,
        cure: [["--items", opened]],
      };
    if (char === "{") this.#keys.push("");
    else if (char === "}" || char === "]") this.#keys.pop();
    else if (char === ":") this.#keys.splice(-1, 1, unquoted(this.#key));
    else if (char === "[") this.#openArray(piece, at);
    const isOutside = this.#keys.length === 0 && this.#state === "before";
    return isOutside || this.#keys.length > maxDepth ? this.#notArray() : undefined;
  }

  #openArray(piece: string, at: number): void {
    const { items } = this.#options;
    const path = this.#keys.includes(undefined) ? undefined : this.#keys.join(".");
    if (this.#keys.length === 0 || (path !== undefined && path === items)) this.#begin(piece, at);
    else if (items === undefined) this.#opened = path;
    this.#keys.push(undefined);
  }

  #notArray(): RowFault {
    const { items } = this.#options;
    if (items !== undefined)
      return { message: `has no array ${quote(items)}, which --items names` };
    return {
      message: "must be a JSON array of animals; for one animal per line, use --format ndjson",
      cure: [["--format", "ndjson"]],
    };
  }

  /** Begins the element behind a bracket or comma. */
  #begin(piece: string, at: number): void {
    this.#state = "within";
    this.#start = this.#placeAt(piece, at + 1);
  }

  /** Returns whether a character is within the element, not behind it. */
  #isNested(char: string | undefined): boolean {
    const isClosing = char === "]" || char === "}";
    if (this.#depth === 0 && (isClosing || char === ",")) return false;
    if (char === "[" || char === "{") this.#depth += 1;
    else if (isClosing) this.#depth -= 1;
    return true;
  }

  #keep(part: string): void {
    if (!isLonger(this.#element, maxRowBytes)) this.#element += part;
  }

  /** Returns the element that has ended; undefined for white space. */
  #takeElement(): JsonElement | undefined {
    const text = this.#element;
    this.#element = "";
    notBlank.lastIndex = 0;
    if (!notBlank.test(text)) return undefined;
    return { text: isLonger(text, maxRowBytes) ? undefined : text, ...this.#start };
  }

  /** Yields the element that ends at an index, and what is wrong with its end. */
  *#endElement(piece: string, at: number): Generator<InputRecord> {
    const char = piece[at];
    const isFirst = this.#count === 0;
    const element = this.#takeElement();
    if (element !== undefined) yield this.#record(element);
    if (char === "]" && (element !== undefined || isFirst)) this.#state = "after";
    else if (char === "," && element !== undefined) this.#begin(piece, at);
    else yield* this.#fail(this.#unexpected(piece, at));
  }

  #unexpected(piece: string, at: number): RowFault {
    return unexpected(piece[at], this.#placeAt(piece, at));
  }

  /** Returns the place of an index of the piece, and counts the lines before it. */
  #placeAt(piece: string, at: number): TextPlace {
    for (;;) {
      const end = piece.indexOf("\n", Math.max(0, this.#lineStart));
      if (end === -1 || end >= at) return { line: this.#line, column: at - this.#lineStart + 1 };
      this.#line += 1;
      this.#lineStart = end + 1;
    }
  }
}

function unquoted(key: string): string | undefined {
  try {
    return String(JSON.parse(`"${key}"`));
  } catch {
    return undefined;
  }
}
