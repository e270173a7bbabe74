import { errorMessage } from "../../../core/errors.ts";
import { isTooDeep, parseExact, tooDeep } from "../../../core/json/parse.ts";
import { isLonger } from "../../../core/lines.ts";
import type { TextFault } from "../../types.ts";
import { quote } from "../columns.ts";
import { maxRowBytes, rowTooLong } from "../row.ts";

/** Returns the value of a row's JSON text, or why it is not parsed (`fault`) or not JSON (`reason`). */
export function parseJson(text: string | undefined) {
  if (text === undefined) return { fault: rowTooLong };
  if (isTooDeep(text)) return { fault: { message: `JSON ${tooDeep}` } };
  try {
    return { value: parseExact(text) };
  } catch (error) {
    // V8's message, without what it quotes: `Unexpected token 'x', "{x}" is not valid JSON`.
    const [reason = ""] = errorMessage(error).split(/, (?:\.\.\.)?"| (?:in|after) JSON at/);
    return { reason: reason.charAt(0).toLowerCase() + reason.slice(1) };
  }
}

export class JsonFault extends Error {
  readonly fault: TextFault;

  constructor(fault: TextFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Returns what is read; undefined where the text cannot be read so far. */
export function ifJson<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return undefined;
  }
}

/** How far it looks ahead: two rows. */
const maxAhead = 2 * maxRowBytes;

const valueMark = /["{}[\],]/g;
const stringMark = /["\\]/g;
const anyChar = /[^]/g;

/** Reads a JSON text in pieces, of which it holds one value at most, and nothing of one that is too long. */
export class JsonText {
  readonly #pieces: Iterator<string>;
  /** The next pieces, if they have been looked at. */
  readonly #loaded: string[] = [];
  /** From where the last value began, if that is not too long. */
  #text = "";
  #at = 0;
  /** The line on which the text begins. */
  #line = 1;
  #isTooLong = false;

  constructor(pieces: Iterable<string>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** Moves to the next character that is not white space, and returns it; empty at the end of the text. */
  peek(): string {
    while (this.#at < this.#text.length || this.#load()) {
      const char = this.#text.charAt(this.#at);
      if (!" \t\r\n".includes(char)) return char;
      this.#at += 1;
    }
    return "";
  }

  /** Moves over a character, or stands at the end for none, if it comes next; returns whether it does. */
  take(char: string): boolean {
    const isNext = this.peek() === char;
    if (isNext) this.#at += char.length;
    return isNext;
  }

  expect(char: string): void {
    if (!this.take(char)) throw this.#unexpected();
  }

  /** Moves over the name of a member and its colon, and returns it; NUL, which nothing can name, for one that is too long. */
  #readKey(): string {
    if (this.peek() !== '"') throw this.#unexpected();
    const { value = "\0" } = this.read();
    this.expect(":");
    return String(value);
  }

  isAtBracket(): boolean {
    return /[[{]/.test(this.peek());
  }

  /**
   * Moves over an object or an array. Yields the name or the place, from 0, of each value when it stands before that, and
   * who takes it has to move over the value.
   */
  *keys(): Generator<string> {
    const isArray = this.take("[");
    if (!isArray) this.expect("{");
    const end = isArray ? "]" : "}";
    if (this.take(end)) return;
    let place = 0;
    do {
      yield isArray ? String(place) : this.#readKey();
      place += 1;
    } while (this.take(","));
    this.expect(end);
  }

  /** Moves over a value, whatever is in it. */
  skip(): void {
    this.#pass(true);
  }

  /** Returns a reader of what comes next, as far as that is near; this one stays where it is. */
  ahead(): JsonText {
    return new JsonText(this.#near());
  }

  *#near(): Generator<string> {
    let left = maxAhead;
    for (const piece of this.#coming()) {
      yield piece.slice(0, left);
      left -= piece.length;
      if (left <= 0) return;
    }
  }

  *#coming(): Generator<string> {
    yield this.#text.slice(this.#at);
    yield* this.#loaded;
    for (let next = this.#pieces.next(); next.done !== true; next = this.#pieces.next()) {
      this.#loaded.push(next.value);
      yield next.value;
    }
  }

  /** Moves over a value. Returns its text, unless that is too long, what it says, and its line. Throws a JsonFault. */
  read() {
    const line = this.#pass(false);
    const whole = this.#text.slice(0, this.#at);
    const text = this.#isTooLong || isLonger(whole, maxRowBytes) ? undefined : whole;
    const { value, fault, reason } = parseJson(text);
    if (reason !== undefined) throw this.#invalid(reason, line);
    return { text, line, value, fault };
  }

  /** Moves behind a value, and returns its line; what is inside is not checked, and kept unless it is too long. */
  #pass(isTooLong: boolean): number {
    if ("]},:".includes(this.peek())) throw this.#unexpected();
    this.#forget();
    this.#isTooLong = isTooLong;
    const line = this.#line;
    let depth = 0;
    do {
      const mark = this.#find(valueMark);
      if (mark === '"') this.#skipString();
      else if (mark === "{" || mark === "[") depth += 1;
      else if (mark === "" && depth > 0) throw this.#unexpected();
      // It ends a number or a word.
      else if (depth === 0) this.#at -= mark.length;
      else if (mark !== ",") depth -= 1;
    } while (depth > 0);
    return line;
  }

  #skipString(): void {
    for (let mark = ""; mark !== '"';) {
      mark = this.#find(stringMark);
      if (mark === "") throw this.#unexpected();
      if (mark === "\\") this.#find(anyChar);
    }
  }

  /** Moves behind the next character that a global pattern matches, and returns it; empty at the end of the text. */
  #find(pattern: RegExp): string {
    do {
      pattern.lastIndex = this.#at;
      const isFound = pattern.test(this.#text);
      this.#at = isFound ? pattern.lastIndex : this.#text.length;
      if (isFound) return this.#text.charAt(this.#at - 1);
    } while (this.#load());
    return "";
  }

  #unexpected(): JsonFault {
    const next = this.peek();
    this.#forget();
    const what = next === "" ? "end of file" : quote(next);
    return this.#invalid(`unexpected ${what}`, this.#line);
  }

  #invalid(reason: string, line: number): JsonFault {
    const message = `invalid JSON: ${reason} (line ${line}); the rest of the file was not read`;
    return new JsonFault({ message, textLine: line });
  }

  /** Drops the text that has been read. */
  #forget(): void {
    const passed = this.#text.slice(0, this.#at);
    for (let end = passed.indexOf("\n"); end !== -1; end = passed.indexOf("\n", end + 1))
      this.#line += 1;
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
  }

  /** Adds the next piece to the text; returns false at its end. */
  #load(): boolean {
    const piece = this.#loaded.shift() ?? this.#pieces.next().value;
    if (piece === undefined) return false;
    this.#isTooLong ||= this.#at > maxRowBytes;
    if (this.#isTooLong) this.#forget();
    this.#text += piece;
    return piece !== "" || this.#load();
  }
}
