import { tooDeep } from "../../core/json/parse.ts";
import { isLonger } from "../../core/lines.ts";
import type { RowFault } from "../types.ts";
import { quote } from "./fields.ts";
import { maxRowBytes } from "./row.ts";

/** A part of a JSON text. */
type Part = "value" | "key" | "colon" | "firstKey" | "pairs" | "firstItem" | "items" | "end";

/** The parts by their first character (0: a number or a word), with the parts that follow it, the last first (RFC 8259). */
const grammar: Readonly<Record<Part, Readonly<Record<string, readonly Part[]>>>> = {
  value: { '"': [], 0: [], "{": ["firstKey"], "[": ["firstItem"] },
  key: { '"': [] },
  colon: { ":": [] },
  firstKey: { "}": [], '"': ["pairs", "value", "colon"] },
  pairs: { "}": [], ",": ["pairs", "value", "colon", "key"] },
  firstItem: {
    "]": [],
    '"': ["items"],
    0: ["items"],
    "{": ["items", "firstKey"],
    "[": ["items", "firstItem"],
  },
  items: { "]": [], ",": ["items", "value"] },
  end: { "": [] },
};

const inString = /[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const maxEscape = String.raw`\u0000`.length;
const word = /[-+.\w]*/y;
const scalar = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/** How many parts may be open, so that their list stays small. A row that is less deep is read to its end, and then refused alone. */
const maxExpected = 2000;

/** Thrown where a JSON text cannot be read any further. */
export class JsonFault extends Error {
  readonly fault: RowFault;

  constructor(fault: RowFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Reads a JSON text that comes in pieces. The text that it holds is at most that of a value, if that is not too long. */
export class JsonText {
  readonly #pieces: Iterator<string>;
  #text = "";
  #at = 0;
  /** Whether the text before `#at` is needed. */
  #isKept = false;
  #line = 1;
  /** Where the line begins in the text; negative if before it. */
  #lineStart = 0;

  constructor(pieces: Iterable<string>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** Moves to the next character that is not white space, and returns it; empty at the end of the text. */
  peek(): string {
    while (this.#at < this.#text.length || this.#load()) {
      const char = this.#text.charAt(this.#at);
      if (!" \t\r\n".includes(char)) return char;
      this.#at += 1;
      if (char !== "\n") continue;
      this.#line += 1;
      this.#lineStart = this.#at;
    }
    return "";
  }

  /** Moves over a character if it comes next; returns whether it does. */
  take(char: string): boolean {
    const isNext = this.peek() === char;
    if (isNext) this.#at += 1;
    return isNext;
  }

  /**
   * Moves over a value, or another part. Returns its text, undefined if it is too long, and the line on which it
   * begins. Throws a JsonFault.
   */
  read(part: Part = "value"): { readonly text: string | undefined; readonly line: number } {
    this.peek();
    this.#drop();
    this.#isKept = true;
    const line = this.#line;
    const expected = [part];
    for (let next = expected.pop(); next !== undefined; next = expected.pop()) {
      expected.push(...this.#skipToken(next));
      if (expected.length > maxExpected) throw this.#faultHere(tooDeep);
    }
    const text = this.#text.slice(0, this.#at);
    const isWhole = this.#isKept && !isLonger(text, maxRowBytes);
    this.#isKept = false;
    return { text: isWhole ? text : undefined, line };
  }

  /** Moves over the token with which a part begins; returns what follows it. */
  #skipToken(part: Part): readonly Part[] {
    const first = this.peek();
    const kind = '"{}[],:'.includes(first) ? first : "0";
    const next = grammar[part][kind];
    if (next === undefined) throw this.#unexpected();
    if (kind === "0") this.#skipWord();
    else this.#at += 1;
    if (kind === '"') this.#skipString();
    return next;
  }

  /** Moves behind the closing quote. */
  #skipString(): void {
    for (;;) {
      inString.lastIndex = this.#at;
      inString.test(this.#text);
      this.#at = inString.lastIndex;
      if (this.#text[this.#at] === '"') break;
      // An escape may go on in the next piece.
      const isCut = this.#text.length - this.#at < maxEscape;
      if (!isCut || !this.#load()) throw this.#unexpected();
    }
    this.#at += 1;
  }

  /** Moves behind a number or a word. */
  #skipWord(): void {
    let isCut = true;
    while (isCut) {
      word.lastIndex = this.#at;
      word.test(this.#text);
      const isLast = word.lastIndex === this.#text.length;
      isCut = isLast && this.#text.length - this.#at <= maxRowBytes && this.#load();
    }
    if (!scalar.test(this.#text.slice(this.#at, word.lastIndex))) throw this.#unexpected();
    this.#at = word.lastIndex;
  }

  #unexpected(): JsonFault {
    const char = this.#text.charAt(this.#at);
    const what = char === "" ? "end of file" : quote(char);
    return this.#faultHere(`is not valid JSON: unexpected ${what}`);
  }

  #faultHere(what: string): JsonFault {
    const place = `line ${this.#line}, column ${this.#at - this.#lineStart + 1}`;
    const message = `${what} (${place}); the rest of the file was not read`;
    return new JsonFault({ message, textLine: this.#line });
  }

  /** Adds the next piece to the text; returns false if there is none. */
  #load(): boolean {
    const { value: piece, done } = this.#pieces.next();
    if (done === true) return false;
    this.#isKept &&= !isLonger(this.#text, maxRowBytes);
    if (!this.#isKept) this.#drop();
    this.#text += piece;
    return piece !== "" || this.#load();
  }

  /** Drops the text before `#at`. */
  #drop(): void {
    this.#text = this.#text.slice(this.#at);
    this.#lineStart -= this.#at;
    this.#at = 0;
  }
}
