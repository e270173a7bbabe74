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
  #state: "start" | "search" | "element" | "after" = "start";
  /** Why no more elements can be found, if so. */
  fault: ElementsFault | undefined;
  #element = "";
  #isTooLong = false;
  #start: TextPlace = { line: 1, column: 1 };
  #isFirst = true;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The key of each object around the place; undefined for an array. */
  readonly #keys: (string | undefined)[] = [];
  #key = "";
  #opened: string | undefined;
  #line = 1;
  /** Where the line begins in the piece; negative if in an earlier one. */
  #lineStart = 0;

  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** The line of the text up to which it was read. */
  get line(): number {
    return this.fault?.line ?? this.#line;
  }

  /** Whether nothing but white space was read. */
  get isBlank(): boolean {
    return this.#state === "start";
  }

  /** Whether the array has begun. */
  get hasBegun(): boolean {
    return this.#state === "element" || this.#state === "after";
  }

  /** Yields the elements that end in the next piece, which all have to be taken before the next one. */
  *push(piece: string): Generator<JsonElement> {
    for (let at = 0; at < piece.length && this.fault === undefined; at += 1) {
      if (this.#state === "start" || this.#state === "after") at = this.#outside(piece, at);
      else if (this.#state === "search") at = this.#search(piece, at);
      else {
        const end = this.#endOfElement(piece, at);
        this.#keep(piece.slice(at, end));
        at = end;
        if (end < piece.length) yield* this.#endElement(piece, end);
      }
    }
    this.#placeAt(piece, piece.length);
    this.#lineStart -= piece.length;
  }

  /** Ends the text: yields the unfinished element, and sets `fault` unless the array has ended. */
  *end(): Generator<JsonElement> {
    if (this.fault !== undefined || this.#state === "after") return;
    const place = { line: this.#line, column: 1 - this.#lineStart };
    if (!this.#isTooLong && this.#hasElement()) yield { text: this.#element, ...this.#start };
    this.fault = { reason: this.#state === "search" ? "notArray" : "syntax", ...place };
  }

  /** Reads the first character of the text, or what is behind the array; returns its index. */
  #outside(piece: string, from: number): number {
    notBlank.lastIndex = from;
    if (!notBlank.test(piece)) return piece.length;
    const at = notBlank.lastIndex - 1;
    const char = piece[at];
    if (this.#state === "after") {
      if (this.#path === undefined) this.#stop("syntax", piece, at);
    } else if (char === "{") {
      this.#state = "search";
      this.#keys.push("");
    } else if (char === "[" && this.#path === undefined) this.#begin(piece, at);
    else this.#stop(char === "[" ? "isArray" : "notArray", piece, at);
    return at;
  }

  /** Begins the element behind a bracket or comma. */
  #begin(piece: string, at: number): void {
    this.#state = "element";
    this.#start = this.#placeAt(piece, at + 1);
  }

  /** Reads to the next bracket, key or value of the object around the array; returns its index. */
  #search(piece: string, from: number): number {
    const at = this.#toStructure(piece, from);
    const char = piece[at];
    if (char === undefined) return at;
    const opened = this.#opened;
    this.#opened = undefined;
    if (char === "{" && opened !== undefined) this.#stop("object", piece, at, opened);
    else if (char === "[") this.#openArray(piece, at);
    else if (char === "{") this.#keys.push("");
    else if (char === "}" || char === "]") this.#keys.pop();
    else if (char === ":") this.#keys.splice(-1, 1, unquoted(this.#key));
    if (this.#keys.length === 0 || this.#keys.length > maxDepth) this.#stop("notArray", piece, at);
    return at;
  }

  #openArray(piece: string, at: number): void {
    const path = this.#keys.includes(undefined) ? undefined : this.#keys.join(".");
    if (path !== undefined && path === this.#path) this.#begin(piece, at);
    else if (this.#path === undefined) this.#opened = path;
    this.#keys.push(undefined);
  }

  /** Returns the index of the next `[`, `]`, `{`, `}`, `,` or `:` outside of strings, or the length. */
  #toStructure(piece: string, from: number): number {
    for (let at = from; ;) {
      if (this.#isInString) {
        inString.lastIndex = this.#isEscaped ? at + 1 : at;
        this.#isEscaped = inString.exec(piece)?.[1] === "\\";
        const end = inString.lastIndex;
        if (this.#state === "search" && this.#key.length < maxKey)
          this.#key += piece.slice(at, end);
        if (end === piece.length) return end;
        this.#isInString = false;
        at = end + 1;
      }
      structure.lastIndex = at;
      if (!structure.test(piece)) return piece.length;
      at = structure.lastIndex;
      if (piece[at - 1] !== '"') return at - 1;
      this.#isInString = true;
      this.#key = "";
    }
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
  }

  #hasElement(): boolean {
    notBlank.lastIndex = 0;
    return notBlank.test(this.#element);
  }

  /** Yields the element that ends at an index. */
  *#endElement(piece: string, at: number): Generator<JsonElement> {
    const isEmpty = !this.#hasElement();
    if (!isEmpty) yield { text: this.#isTooLong ? undefined : this.#element, ...this.#start };
    const char = piece[at];
    const isEnd = char === "]" && (!isEmpty || this.#isFirst);
    if (!isEnd && (isEmpty || char !== ",")) this.#stop("syntax", piece, at);
    this.#element = "";
    this.#isTooLong = false;
    this.#isFirst = false;
    if (isEnd) this.#state = "after";
    else this.#begin(piece, at);
  }

  #stop(reason: ElementsFault["reason"], piece: string, at: number, path?: string): void {
    this.fault = { reason, ...this.#placeAt(piece, at), char: piece[at], path };
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
