import { isLonger } from "../../core/lines.ts";
import type { RowFault } from "../types.ts";
import { quote } from "./fields.ts";
import { type JsonElement, type TextPlace, unexpected } from "./json-fault.ts";
import { maxRowBytes } from "./row.ts";

const notBlank = /[^ \t\r\n]/g;
const structure = /["[\]{},:]/g;
/** Matches a string up to its end, or to that of the text, which may be within an escape. */
const inString = /[^"\\]*(?:\\.[^"\\]*)*(\\?)/sy;
/** How deep the array may be in an object, and how many characters of a key are compared. */
const maxDepth = 100;
const maxKey = 1000;

/**
 * Cuts the array of a JSON text, which comes in pieces, into the texts of its elements; `path` (`data.animals`)
 * is where it is in an object. It checks only what is between elements: whether each is JSON is for its reader.
 */
export class JsonElements {
  readonly #path: string | undefined;
  /** Why no more elements can be found, if so. */
  fault: RowFault | undefined;
  #state: "start" | "before" | "within" | "after" = "start";
  #element = "";
  #start: TextPlace = { line: 1, column: 1 };
  #isFirst = true;
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

  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** Yields the elements that end in the next piece, which all have to be taken before the next one. */
  *push(piece: string): Generator<JsonElement> {
    let from = 0;
    for (let at = this.#next(piece, 0); at < piece.length; at = this.#next(piece, at + 1)) {
      if (this.#state !== "within") this.#readAround(piece, at);
      else if (this.#isNested(piece[at])) continue;
      else {
        this.#keep(piece.slice(from, at));
        yield* this.#endElement(piece, at);
      }
      if (this.fault !== undefined) return;
      from = at + 1;
    }
    if (this.#state === "within") this.#keep(piece.slice(from));
    this.#placeAt(piece, piece.length);
    this.#lineStart -= piece.length;
  }

  /** Ends the text, perhaps with a fault: yields the unfinished element, and sets `fault` unless the array has ended. */
  *end(fault?: RowFault): Generator<JsonElement> {
    if (this.fault !== undefined) return;
    const place = { line: this.#line, column: 1 - this.#lineStart };
    const element = this.#takeElement();
    if (fault === undefined && element?.text !== undefined) yield element;
    const isWithin = this.#state === "within";
    if (fault !== undefined) this.fault = { ...fault, ...(isWithin && { textLine: place.line }) };
    else if (isWithin) this.fault = unexpected(undefined, place);
    else if (this.#state === "start")
      this.fault = { message: "is empty: it must be a JSON array, such as []" };
    else if (this.#state === "before") this.fault = this.#notArray();
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
    this.#isEscaped = inString.exec(piece)?.[1] === "\\";
    const end = inString.lastIndex;
    if (this.#state === "before" && this.#key.length < maxKey) this.#key += piece.slice(from, end);
    this.#isInString = end === piece.length;
    return end + 1;
  }

  /** Reads a character before or behind the array. */
  #readAround(piece: string, at: number): void {
    const char = piece[at];
    const opened = this.#opened;
    this.#opened = undefined;
    if (this.#state === "after") {
      if (this.#path === undefined) this.#stopAt(piece, at);
    } else if (this.#state === "start" && char === "[" && this.#path !== undefined)
      this.fault = { message: "is a JSON array itself: leave out --items" };
    else if (this.#state === "start" && char !== "[" && char !== "{") this.fault = this.#notArray();
    else if (char === "{" && opened !== undefined)
      this.fault = {
        message: `must be a JSON array of animals, not an object with an array ${quote(opened)}`,
        cure: [["--items", opened]],
      };
    else this.#search(piece, at);
  }

  /** Reads a bracket, colon or comma of the object around the array. */
  #search(piece: string, at: number): void {
    const char = piece[at];
    const path = this.#keys.includes(undefined) ? undefined : this.#keys.join(".");
    const isWanted = this.#keys.length === 0 || (path !== undefined && path === this.#path);
    this.#state = "before";
    if (char === "{") this.#keys.push("");
    else if (char === "}" || char === "]") this.#keys.pop();
    else if (char === ":") this.#keys.splice(-1, 1, unquoted(this.#key));
    else if (char === "[" && isWanted) this.#begin(piece, at);
    else if (char === "[") {
      if (this.#path === undefined) this.#opened = path;
      this.#keys.push(undefined);
    }
    if (this.#keys.length > maxDepth || (this.#keys.length === 0 && this.#state === "before"))
      this.fault = this.#notArray();
  }

  #notArray(): RowFault {
    if (this.#path !== undefined)
      return { message: `has no array ${quote(this.#path)}, which --items names` };
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

  /** Yields the element that ends at an index. */
  *#endElement(piece: string, at: number): Generator<JsonElement> {
    const element = this.#takeElement();
    if (element !== undefined) yield element;
    const char = piece[at];
    if (char === "]" && (element !== undefined || this.#isFirst)) this.#state = "after";
    else if (char === "," && element !== undefined) this.#begin(piece, at);
    else this.#stopAt(piece, at);
    this.#isFirst = false;
  }

  #stopAt(piece: string, at: number): void {
    this.fault = unexpected(piece[at], this.#placeAt(piece, at));
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
