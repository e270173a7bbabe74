import type { Token } from "../../vendor/stream-json.ts";
import type { InvalidRow, ReadRow } from "../types.ts";
import { JsonRow } from "./json-row.ts";
import { type JsonFault, JsonTokens } from "./json-tokens.ts";
import type { RowOptions } from "./row.ts";
import type { Utf8Text } from "./utf8.ts";

/**
 * Yields the rows of a JSON array of NewPets, in batches; the line of each is its position in the
 * array, from 1 (contract.md, Bulk, Checked first).
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
    if (fault !== undefined && !rows.isDone) yield [invalidJson(rows.position, fault)];
    if (fault !== undefined || rows.isDone) return;
  }
  if (text.decodeError !== undefined) yield [{ line: rows.position, message: text.decodeError }];
  if (text.decodeError !== undefined) return;
  if (isBlank) {
    yield [{ line: 1, message: "is empty: it must be a JSON array, such as []" }];
    return;
  }
  const { tokens, fault } = reader.end();
  yield rows.push(tokens);
  if (fault !== undefined) yield [invalidJson(rows.position, fault)];
}

function invalidJson(position: number, { what, line, column }: JsonFault): InvalidRow {
  const where = `line ${line}, column ${column} of the file`;
  return {
    line: position,
    message: `is not valid JSON: ${what} at ${where}; the rest of the file was not read`,
  };
}

// Deeper than any valid row, and shallow enough for the parser's stack.
const maxDepth = 10_000;

/** Turns the tokens of a JSON array into rows; the line of each is its position in it, from 1. */
class JsonRows {
  readonly #options: RowOptions;
  #depth = 0;
  #count = 0;
  #row: JsonRow | undefined;
  #isDone = false;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  /** The position of the unfinished row, or of the next one. */
  get position(): number {
    return this.#count + 1;
  }

  /** Whether no more rows follow. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Returns the rows that end in the next tokens. */
  push(tokens: readonly Token[]): readonly ReadRow[] {
    const rows: ReadRow[] = [];
    for (const token of tokens) {
      if (this.#depth === 0 && token.name !== "startArray") return this.#stop(rows, notArray);
      if (this.#depth > maxDepth)
        return this.#stop(rows, `must not be nested deeper than ${maxDepth}`);
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
    rows.push(this.#row.read({ index: this.#count, line: this.position }, this.#options));
    this.#count += 1;
    this.#row = undefined;
  }

  #stop(rows: ReadRow[], message: string): readonly ReadRow[] {
    this.#isDone = true;
    return [...rows, { line: this.position, message }];
  }
}

const notArray = "must be a JSON array of animals; for one animal per line, use --format ndjson";

/** The tokens that end a value. */
const endsValue: ReadonlySet<Token["name"]> = new Set([
  "endObject",
  "endArray",
  "endString",
  "endNumber",
  "trueValue",
  "falseValue",
  "nullValue",
]);
