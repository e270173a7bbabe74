import { errorMessage, usageFailure } from "../../core/errors.ts";
import { isTooDeep, parseExact, tooDeep } from "../../core/json/parse.ts";
import { isLonger } from "../../core/lines.ts";
import type { InputRecord, RowFault } from "../types.ts";
import { excerpt, quote, type RowOptions } from "./columns.ts";
import { maxRowBytes, parseValue, rowAt, rowTooLong } from "./row.ts";
import type { InputText } from "./text.ts";

/** Yields the rows of NDJSON, one NewPet per line. Skips blank lines. */
export function* readNdjson(input: InputText, given: RowOptions): Generator<InputRecord> {
  const options = watched(given);
  let index = 0;
  for (const { number: line, text } of input.lines()) {
    if (text?.trim() === "") continue;
    const fault = input.fault ?? faultOf(text);
    const { value, reason } = fault === undefined ? parseJson(text ?? "") : {};
    const wrong = fault ?? (reason && notJson(text ?? "", reason, index));
    yield { read: rowAt(index, line, wrong || parseValue(value, options)), original: text ?? "" };
    index += 1;
  }
  assertMapped(options, index);
}

/** Returns options that know which paths of `--map` no row has had. */
const watched = (options: RowOptions) => ({
  ...options,
  absent: new Set(options.columnMap?.values()),
});

/** Throws a usage Failure if none of the rows has a path of `--map`. */
function assertMapped({ absent }: ReturnType<typeof watched>, rows: number): void {
  if (absent.size === 0 || rows === 0) return;
  const names = [...absent].map(({ name }) => quote(name));
  throw usageFailure(`--map names ${names.join(", ")}, but no row has it; nothing was sent`);
}

/** Returns why a row is not parsed at all. */
function faultOf(text: string | undefined): RowFault | undefined {
  if (text === undefined) return rowTooLong;
  return isTooDeep(text) ? { message: `JSON ${tooDeep}` } : undefined;
}

function notJson(line: string, reason: string, index: number): RowFault {
  const text = line.trim();
  const cure = index === 0 && /^[[{]/.test(text) ? [["--format", "json"]] : [];
  if (text.startsWith("{")) return { message: `invalid JSON: ${reason}`, cure };
  return { message: `must be a JSON object on one line, not ${excerpt(text)}`, cure };
}

/** Returns the value of a JSON text, or the reason why it is not JSON. */
function parseJson(text: string): { readonly value?: unknown; readonly reason?: string } {
  try {
    return { value: parseExact(text) };
  } catch (error) {
    // V8's message, without what it quotes: `Unexpected token 'x', "{x}" is not valid JSON`.
    const reason = errorMessage(error).replace(
      /(?:, (?:\.\.\.)?"[^]*| (?:in|after) JSON at.*)$/,
      "",
    );
    return { reason: reason.charAt(0).toLowerCase() + reason.slice(1) };
  }
}

/**
 * Yields the rows of a JSON array of NewPets, or of the one at `options.items` (`data.animals`). The line of each is its
 * place in the array, from 1.
 */
export function* readJsonArray(input: InputText, given: RowOptions): Generator<InputRecord> {
  const options = watched(given);
  const json = new JsonText(input);
  let index = 0;
  try {
    const around = enterArray(json, options.items);
    if (!json.take("]")) {
      do {
        const { text, line: textLine, value } = json.read();
        const read = rowAt(index, index + 1, faultOf(text) ?? parseValue(value, options));
        yield { read: "pet" in read ? read : { textLine, ...read }, original: text ?? "" };
        index += 1;
      } while (json.take(","));
      json.expect("]");
    }
    for (let open = around; open > 0; open -= 1) json.leaveObject();
    json.expect("");
    if (input.fault !== undefined) throw new JsonFault(input.fault);
    assertMapped(options, index);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const fault = { fatal: "content", ...error.fault, ...input.fault } as const;
    yield { read: { line: index + 1, ...fault }, original: "" };
  }
}

/** Moves into the array to be read, and returns how many objects are around it. Throws a JsonFault if there is none. */
function enterArray(json: JsonText, items: string | undefined): number {
  if (json.peek() === "") throw new JsonFault({ message: "is empty", fatal: "file" });
  if (items === undefined && json.take("[")) return 0;
  const keys = json.take("{") ? findArray(json, items, []) : undefined;
  if (items === undefined || keys === undefined)
    throw new JsonFault(noArray(keys?.join("."), items));
  return keys.length;
}

/** Returns the fault of a text without the array at `items`, or without any but one at another place. */
function noArray(place: string | undefined, items: string | undefined): RowFault {
  if (items !== undefined) return { message: `has no array ${quote(items)}`, fatal: "file" };
  if (place === undefined)
    return {
      message: "must be a JSON array of animals",
      fatal: "file",
      cure: [["--format", "ndjson"]],
    };
  return {
    message: `must be a JSON array of animals, not an object with an array ${quote(place)}`,
    fatal: "file",
    cure: [["--items", place]],
  };
}

/** How deep the array may be in an object. */
const maxDepth = 100;

/** Moves from the start of an object into the array at `items`, or into any of objects; returns the keys on the way. */
function findArray(
  json: JsonText,
  items: string | undefined,
  keys: readonly string[],
): readonly string[] | undefined {
  if (json.take("}")) return undefined;
  do {
    const path = [...keys, json.readKey()];
    if (path.length < maxDepth && json.take("{")) {
      const found = findArray(json, items, path);
      if (found !== undefined) return found;
    } else if (!json.take("[")) json.read();
    else if (path.join(".") === items || (items === undefined && json.peek() === "{")) return path;
    else json.read("[");
  } while (json.take(","));
  json.expect("}");
  return undefined;
}

const valueMark = /["{}[\],]/g;
const inString = /[^"\\]*(?:\\[^][^"\\]*)*/y;

/** Thrown where a JSON text cannot be read any further. */
class JsonFault extends Error {
  readonly fault: RowFault;

  constructor(fault: RowFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Reads a JSON text that comes in pieces. The text that it holds is at most that of a value, if that is not too long. */
class JsonText {
  readonly #pieces: Iterator<string>;
  #text = "";
  #at = 0;
  /** Where the text begins that is needed; undefined if it is not. */
  #start: number | undefined;
  /** The line on which `#counted` is. */
  #line = 1;
  #counted = 0;

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

  /** Moves over a character if it comes next; returns whether it does. */
  take(char: string): boolean {
    const isNext = this.peek() === char;
    if (isNext) this.#at += 1;
    return isNext;
  }

  /** Moves over a character, or stands at the end for none. Throws a JsonFault if another one comes next. */
  expect(char: string): void {
    const next = this.peek();
    if (next !== char) throw this.#unexpected(next);
    this.#at += char.length;
  }

  /** Moves over the name of a member and its colon, and returns it. */
  readKey(): string {
    if (this.peek() !== '"') this.expect('"');
    const { value } = this.read();
    this.expect(":");
    return String(value);
  }

  /** Moves behind the end of an object, of which a member has been read. */
  leaveObject(): void {
    while (this.take(",")) {
      this.readKey();
      this.read();
    }
    this.expect("}");
  }

  /**
   * Moves over a value, of which `opened` has been taken. Returns its text and what that says, or no text if it is too
   * long, and the line on which it begins. Throws a JsonFault.
   */
  read(opened: "" | "[" = "") {
    const first = this.peek();
    if (opened === "" && "]},:".includes(first)) throw this.#unexpected(first);
    const line = this.#lineHere();
    this.#start = this.#at;
    this.#skip(opened.length);
    const text =
      this.#start === undefined ? undefined : opened + this.#text.slice(this.#start, this.#at);
    this.#start = undefined;
    if (text === undefined || isLonger(text, maxRowBytes)) return { text: undefined, line };
    const { value, reason } = isTooDeep(text) ? {} : parseJson(text);
    if (reason !== undefined) throw this.#invalid(reason, line);
    return { text, line, value };
  }

  /** Moves behind a value with this many open brackets; what is inside is not checked. */
  #skip(open: number): void {
    let depth = open;
    do {
      const mark = this.#nextMark();
      if (mark === '"') this.#skipString();
      else if (mark === "{" || mark === "[") depth += 1;
      else if (mark === "" && depth > 0) throw this.#unexpected(mark);
      // It ends a number or a word.
      else if (depth === 0) this.#at -= mark.length;
      else if (mark !== ",") depth -= 1;
    } while (depth > 0);
  }

  /** Moves behind the next character that is not of a number or a word, and returns it; empty at the end of the text. */
  #nextMark(): string {
    do {
      valueMark.lastIndex = this.#at;
      this.#at = valueMark.test(this.#text) ? valueMark.lastIndex : this.#text.length;
      if (valueMark.lastIndex > 0) return this.#text.charAt(this.#at - 1);
    } while (this.#load());
    return "";
  }

  /** Moves behind the closing quote. */
  #skipString(): void {
    do {
      inString.lastIndex = this.#at;
      inString.test(this.#text);
      this.#at = inString.lastIndex;
      if (this.#text[this.#at] === '"') {
        this.#at += 1;
        return;
      }
    } while (this.#load());
    throw this.#unexpected("");
  }

  #unexpected(char: string): JsonFault {
    return this.#invalid(`unexpected ${char === "" ? "end of file" : quote(char)}`);
  }

  #invalid(reason: string, line = this.#lineHere()): JsonFault {
    const message = `invalid JSON: ${reason} (line ${line}); the rest of the file was not read`;
    return new JsonFault({ message, textLine: line });
  }

  #lineHere(): number {
    const passed = this.#text.slice(this.#counted, this.#at);
    for (let end = passed.indexOf("\n"); end !== -1; end = passed.indexOf("\n", end + 1))
      this.#line += 1;
    this.#counted = this.#at;
    return this.#line;
  }

  /** Adds the next piece to the text; returns false if there is none. */
  #load(): boolean {
    const { value: piece, done } = this.#pieces.next();
    if (done === true) return false;
    this.#lineHere();
    if (this.#start !== undefined && this.#at - this.#start > maxRowBytes) this.#start = undefined;
    const kept = this.#start ?? this.#at;
    this.#text = this.#text.slice(kept) + piece;
    this.#at -= kept;
    this.#counted = this.#at;
    if (this.#start !== undefined) this.#start = 0;
    return piece !== "" || this.#load();
  }
}
