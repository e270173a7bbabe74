import { isLonger } from "../../core/lines.ts";
import { maxRowBytes } from "./row.ts";

/** A place in a text; both from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The text of an element of the array, undefined if it is too long, and where it begins. */
export interface JsonElement extends TextPlace {
  readonly text: string | undefined;
}

/** Why no more elements can be found. */
export interface ElementsFault extends TextPlace {
  readonly reason: "syntax" | "notArray" | "object" | "isArray";
  /** For `object`: the path of the first array of objects in it. */
  readonly path?: string | undefined;
  /** The character at the place; undefined at the end of the text. */
  readonly char?: string | undefined;
}

const notBlank = /[^ \t\r\n]/g;
const structure = /["[\]{},:]/g;
const stringEnd = /["\\]/g;
/** How deep the array may be in an object, and how many characters of a key are compared. */
const maxDepth = 100;
const maxKey = 1000;

/**
 * Cuts the array of a JSON text, which comes in pieces, into the texts of its elements; `path` (`data.animals`)
 * is where it is in an object. It checks only what is between elements: whether each is JSON is for its reader.
 */
export class JsonElements {
  readonly #path: string | undefined;
  #mode: "start" | "search" | "before" | "element" | "ended" | "after" = "start";
  #fault: ElementsFault | undefined;
  #element = "";
  #isTooLong = false;
  #start: TextPlace = { line: 1, column: 1 };
  #hasComma = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  readonly #keys: (string | undefined)[] = [];
  #key = "";
  #opened: string | undefined;
  #line: number;
  /** Where the line begins in the piece; negative if in an earlier one. */
  #lineStart = 0;

  constructor(path: string | undefined, firstLine = 1) {
    this.#path = path;
    this.#line = firstLine;
  }

  /** Why no more elements can be found, if so. */
  get fault(): ElementsFault | undefined {
    return this.#fault;
  }

  /** The line of the text up to which it was read. */
  get line(): number {
    return this.#fault?.line ?? this.#line;
  }

  /** Whether nothing but white space was read. */
  get isBlank(): boolean {
    return this.#mode === "start";
  }

  /** Yields the elements that end in the next piece, which all have to be taken before the next one. */
  *push(piece: string): Generator<JsonElement> {
    let at = 0;
    while (at < piece.length && this.#fault === undefined) {
      if (this.#mode === "search") at = this.#search(piece, at);
      else if (this.#mode === "element") {
        const end = this.#endOfElement(piece, at);
        this.#keep(piece.slice(at, end));
        at = end;
        if (end < piece.length) yield this.#endElement();
      } else at = this.#between(piece, at);
    }
    this.#placeAt(piece, piece.length);
    this.#lineStart -= piece.length;
  }

  /** Ends the text: returns the unfinished element, and sets `fault` unless the array has ended. */
  end(): JsonElement | undefined {
    if (this.#fault !== undefined || this.#mode === "after") return undefined;
    const place = { line: this.#line, column: 1 - this.#lineStart };
    this.#fault = { reason: this.#mode === "search" ? "notArray" : "syntax", ...place };
    return this.#mode === "element" ? this.#endElement() : undefined;
  }

  /** Reads the next character outside of elements that is not blank; returns where to go on. */
  #between(piece: string, from: number): number {
    notBlank.lastIndex = from;
    if (!notBlank.test(piece)) return piece.length;
    const at = notBlank.lastIndex - 1;
    const char = piece[at] ?? "";
    if (this.#mode === "start") this.#open(piece, at, char);
    else if (
      char === "]" &&
      (this.#mode === "ended" || (this.#mode === "before" && !this.#hasComma))
    )
      this.#mode = "after";
    else if (this.#mode === "before") return this.#begin(piece, at, char);
    else if (this.#mode === "ended" && char === ",") {
      this.#mode = "before";
      this.#hasComma = true;
    } else if (this.#mode === "ended" || this.#path === undefined) this.#stop("syntax", piece, at);
    return at + 1;
  }

  #begin(piece: string, at: number, char: string): number {
    this.#start = this.#placeAt(piece, at);
    if (char === "," || char === "]" || char === "}") this.#stop("syntax", piece, at);
    else this.#mode = "element";
    return at;
  }

  #open(piece: string, at: number, char: string): void {
    const isWanted = char === (this.#path === undefined ? "[" : "{");
    if (isWanted && char === "[") this.#mode = "before";
    else if (char === "{") this.#mode = "search";
    else this.#stop(char === "[" ? "isArray" : "notArray", piece, at);
    if (char === "{") this.#keys.push("");
  }

  /** Reads to the next bracket, key or value of the object around the array; returns where to go on. */
  #search(piece: string, from: number): number {
    const at = this.#toStructure(piece, from);
    if (at === piece.length) return at;
    const char = piece[at];
    if (this.#opened !== undefined && char === "{") {
      this.#stop("object", piece, at, this.#opened);
      return at;
    }
    this.#opened = undefined;
    if (char === ":") {
      if (this.#keys.at(-1) !== undefined) this.#keys[this.#keys.length - 1] = unquoted(this.#key);
    } else if (char === "[") {
      const path = this.#keys.includes(undefined) ? undefined : this.#keys.join(".");
      if (path !== undefined && path === this.#path) this.#mode = "before";
      else if (this.#path === undefined) this.#opened = path;
      this.#keys.push(undefined);
    } else if (char === "{") this.#keys.push("");
    else if (char !== ",") this.#keys.pop();
    if (this.#keys.length === 0 || this.#keys.length > maxDepth) this.#stop("notArray", piece, at);
    return at + 1;
  }

  /** Returns the index of the next `[`, `]`, `{`, `}`, `,` or `:` outside of strings, or the length. */
  #toStructure(piece: string, from: number): number {
    let at = from;
    while (at < piece.length) {
      const start = at;
      if (this.#isInString) {
        at = this.#endOfString(piece, at);
        if (this.#mode === "search" && this.#key.length < maxKey)
          this.#key += piece.slice(start, at);
      } else {
        structure.lastIndex = at;
        if (!structure.test(piece)) return piece.length;
        at = structure.lastIndex;
        if (piece[at - 1] !== '"') return at - 1;
        this.#isInString = true;
        this.#key = '"';
      }
    }
    return at;
  }

  /** Returns the index behind the string, or the length. */
  #endOfString(piece: string, from: number): number {
    let at = from;
    while (at < piece.length && this.#isInString) {
      if (this.#isEscaped) {
        this.#isEscaped = false;
        at += 1;
        continue;
      }
      stringEnd.lastIndex = at;
      if (!stringEnd.test(piece)) return piece.length;
      at = stringEnd.lastIndex;
      if (piece[at - 1] === "\\") this.#isEscaped = true;
      else this.#isInString = false;
    }
    return at;
  }

  /** Returns the index of the comma or bracket behind the element, or the length. */
  #endOfElement(piece: string, from: number): number {
    for (let at = from; ; at += 1) {
      at = this.#toStructure(piece, at);
      const char = piece[at];
      if (char === undefined) return piece.length;
      const isClosing = char === "]" || char === "}";
      if (this.#depth === 0 && (isClosing || char === ",")) return at;
      if (char === "[" || char === "{") this.#depth += 1;
      else if (isClosing) this.#depth -= 1;
    }
  }

  #keep(part: string): void {
    if (this.#isTooLong) return;
    this.#element += part;
    this.#isTooLong = isLonger(this.#element, maxRowBytes);
    if (this.#isTooLong) this.#element = "";
  }

  #endElement(): JsonElement {
    const text = this.#isTooLong ? undefined : this.#element;
    this.#element = "";
    this.#isTooLong = false;
    this.#mode = "ended";
    return { text, ...this.#start };
  }

  #stop(reason: ElementsFault["reason"], piece: string, at: number, path?: string): void {
    this.#fault = { reason, ...this.#placeAt(piece, at), char: piece[at], path };
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
    return String(JSON.parse(key));
  } catch {
    return undefined;
  }
}
