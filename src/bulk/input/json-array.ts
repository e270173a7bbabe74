import type { Token } from "../../vendor/stream-json.ts";
import type { InvalidRow, ReadRow } from "../types.ts";
import { JsonRow } from "./json-row.ts";
import { type JsonFault, JsonTokens } from "./json-tokens.ts";
import type { RowOptions } from "./row.ts";
import type { Utf8Text } from "./utf8.ts";

/**
 * The rows of a JSON array of NewPets, in batches; the line of each is its place, from 1
 * (contract.md, Bulk, Checked first). A text of nothing but white space has no rows.
 */
export async function* readJson(
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  const reader = new JsonTokens();
  const rows = new JsonRows(options);
  let isBlank = true;
  for await (const piece of text) {
    const part = piece.toString();
    isBlank &&= part.trim() === "";
    const { tokens, fault } = reader.push(part);
    yield rows.push(tokens);
    if (fault !== undefined && !rows.isStopped) yield [noJson(rows.place, fault)];
    if (fault !== undefined || rows.isStopped) return;
  }
  if (text.decodeError !== undefined) yield [{ line: rows.place, message: text.decodeError }];
  if (text.decodeError !== undefined || isBlank) return;
  const { tokens, fault } = reader.end();
  yield rows.push(tokens);
  if (fault !== undefined) yield [noJson(rows.place, fault)];
}

function noJson(place: number, { what, line, column }: JsonFault): InvalidRow {
  const where = `line ${line}, column ${column} of the file`;
  return {
    line: place,
    message: `is not valid JSON: ${what} at ${where}; nothing behind it was read`,
  };
}

// Deeper than anything that has a meaning, and shallow enough to remember.
const deepest = 10_000;

/** Makes rows of the tokens of a JSON array; the line of each is its place in it, from 1. */
export class JsonRows {
  readonly #options: RowOptions;
  #depth = 0;
  #count = 0;
  #row: JsonRow | undefined;
  #isStopped = false;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  /** The place of the row that has not ended yet, or of the next one. */
  get place(): number {
    return this.#count + 1;
  }

  /** Whether no more rows can be made. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The rows that end in the next tokens. */
  push(tokens: readonly Token[]): readonly ReadRow[] {
    const rows: ReadRow[] = [];
    for (const token of tokens) {
      if (this.#depth === 0 && token.name !== "startArray") return this.#stop(rows, notArray);
      if (this.#depth > deepest) return this.#stop(rows, `must not be nested over ${deepest} deep`);
      this.#take(token, rows);
    }
    return rows;
  }

  #take(token: Token, rows: ReadRow[]): void {
    const { name } = token;
    const closes = name === "endObject" || name === "endArray";
    if (closes) this.#depth -= 1;
    if (this.#depth > 0) this.#takeInside(token, rows);
    if (name === "startObject" || name === "startArray") this.#depth += 1;
  }

  #takeInside(token: Token, rows: ReadRow[]): void {
    this.#row ??= new JsonRow();
    this.#row.push(token, this.#depth - 1);
    if (this.#depth > 1 || !endsValue.has(token.name)) return;
    rows.push(this.#row.read({ index: this.#count, line: this.place }, this.#options));
    this.#count += 1;
    this.#row = undefined;
  }

  #stop(rows: ReadRow[], message: string): readonly ReadRow[] {
    this.#isStopped = true;
    return [...rows, { line: this.place, message }];
  }
}

const notArray = "must be a JSON array of animals; for one animal a line, give --format ndjson";

/** The tokens that a value ends with. */
const endsValue: ReadonlySet<Token["name"]> = new Set([
  "endObject",
  "endArray",
  "endString",
  "endNumber",
  "trueValue",
  "falseValue",
  "nullValue",
]);
