import { parseExactNumber } from "../../core/json/parse.ts";
import type { Token } from "../../vendor/stream-json.ts";
import {
  maxRowBytes,
  type RowPosition,
  parseValue,
  parseRow,
  type RowOptions,
  rowTooLong,
  excerpt,
} from "./row.ts";
import type { ReadRow } from "../types.ts";

/** One value of a JSON array, gathered from its tokens. Of one that is too long nothing is kept. */
export class JsonRow {
  // Without a prototype, so that `__proto__` is a key as any other.
  #fields: Record<string, unknown> = Object.create(null);
  #value: unknown;
  #isObject = false;
  #key = "";
  #text = "";
  #repeated: string | undefined;
  #size = 0;

  /** Takes the next token, `depth` levels within the value. */
  push(token: Token, depth: number): void {
    if ("value" in token && typeof token.value === "string") this.#gather(token.value, depth);
    else if (depth === 0) this.#takeOuter(token);
    else if (depth === 1) this.#takeField(token);
  }

  /** The row that it is. */
  read(place: RowPosition, options: RowOptions): ReadRow {
    const { line } = place;
    if (this.#size > maxRowBytes) return { line, message: rowTooLong };
    if (!this.#isObject) return parseValue(place, this.#value, options);
    if (this.#repeated !== undefined)
      return { line, field: excerpt(this.#repeated), message: "stands twice" };
    return parseRow(place, this.#fields, options);
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
    // Each field takes memory besides its own text.
    this.#size += 8;
    if (this.#key in this.#fields) this.#repeated ??= this.#key;
  }

  #valueOf({ name }: Token): unknown {
    if (name === "endString") return this.#text;
    if (name === "endNumber") return parseExactNumber(this.#text);
    return values.get(name);
  }
}

/** What the tokens stand for that need no text; of what is nested only that it is there. */
const values: ReadonlyMap<Token["name"], unknown> = new Map<Token["name"], unknown>([
  ["trueValue", true],
  ["falseValue", false],
  ["nullValue", null],
  ["startArray", []],
  ["startObject", {}],
]);

/** The tokens that tell nothing of a value: one before them does, or one behind. */
const withoutValue: ReadonlySet<Token["name"]> = new Set([
  "startKey",
  "startString",
  "startNumber",
  "endObject",
  "endArray",
]);
