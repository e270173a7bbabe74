import { parseExactNumber } from "../../core/json/parse.ts";
import type { Token } from "../../vendor/stream-json.ts";
import {
  maxRowBytes,
  type RowPosition,
  parseValue,
  parseRow,
  type RowOptions,
  rowTooLong,
} from "./row.ts";
import { excerpt } from "./fields.ts";
import type { ReadRow } from "../types.ts";

/** Builds one value of a JSON array from its tokens. Drops the content of a value that is too long. */
export class JsonRow {
  // Without a prototype, `__proto__` is an ordinary key.
  #fields: Record<string, unknown> = Object.create(null);
  #value: unknown;
  #isObject = false;
  #key = "";
  #text = "";
  #repeated: string | undefined;
  #size = 0;

  /** Adds the next token, `depth` levels inside the value. */
  push(token: Token, depth: number): void {
    if ("value" in token && typeof token.value === "string") this.#gather(token.value, depth);
    else if (depth === 0) this.#takeOuter(token);
    else if (depth === 1) this.#takeField(token);
  }

  /** Returns the row. */
  read(position: RowPosition, options: RowOptions): ReadRow {
    const { line } = position;
    if (this.#size > maxRowBytes) return { line, message: rowTooLong };
    if (!this.#isObject) return parseValue(position, this.#value, options);
    if (this.#repeated !== undefined)
      return { line, field: excerpt(this.#repeated), message: "is given twice" };
    return parseRow(position, this.#fields, options);
  }

  #gather(chunk: string, depth: number): void {
    this.#size += chunk.length;
    if (this.#size > maxRowBytes) this.#drop();
    else if (depth <= 1) this.#text += chunk;
  }

  #drop(): void {
    this.#text = "";
    this.#fields = Object.create(null);
  }

  #takeOuter(token: Token): void {
    if (token.name === "startObject") this.#isObject = true;
    else if (!withoutValue.has(token.name)) this.#value = this.#valueOf(token);
  }

  #takeField(token: Token): void {
    if (token.name === "endKey") this.#startField();
    else if (!withoutValue.has(token.name)) this.#fields[this.#key] = this.#valueOf(token);
    this.#text = "";
  }

  #startField(): void {
    this.#key = this.#text;
    // Each field takes some memory besides its text.
    this.#size += 8;
    if (this.#key in this.#fields) this.#repeated ??= this.#key;
  }

  #valueOf({ name }: Token): unknown {
    if (name === "endString") return this.#text;
    if (name === "endNumber") return parseExactNumber(this.#text);
    return values.get(name);
  }
}

/** The values of tokens without text; a nested value counts only as an array or object. */
const values: ReadonlyMap<Token["name"], unknown> = new Map<Token["name"], unknown>([
  ["trueValue", true],
  ["falseValue", false],
  ["nullValue", null],
  ["startArray", []],
  ["startObject", {}],
]);

/** Tokens without a value of their own: the token before or after them has it. */
const withoutValue: ReadonlySet<Token["name"]> = new Set([
  "startKey",
  "startString",
  "startNumber",
  "endObject",
  "endArray",
]);
