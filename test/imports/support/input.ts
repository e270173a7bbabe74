import { writeFileSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../../src/core/errors.ts";
import { type ImportInput, openInput } from "../../../src/imports/input/input.ts";
import { invalidRows } from "../../../src/imports/input/suggest.ts";
import type { ReadOptions, Row } from "../../../src/imports/types.ts";
import { temporaryFolder } from "../../support/program/program.ts";

/** A valid row. */
export const rex = '{"name":"Rex","categoryId":1}';

/** The rules, as messages say them. */
export const int64Rule = "must be an integer";
export const int64Range = "must be from -9223372036854775808 to 9223372036854775807";
export const statusRule = "must be available, pending or sold";

/** The maximum size of a row, in bytes. */
export const mebi = 1024 * 1024;

export interface Flags extends ReadOptions {
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  readonly skipInvalid?: boolean;
  readonly next?: (flag: string) => string;
}

/** Returns a standard input with these bytes. */
export async function* bytesOf(...texts: readonly (string | Uint8Array)[]) {
  for (const text of texts) yield Buffer.from(text);
}

export function openAt(file: string, flags: Flags = {}): Promise<ImportInput> {
  const { stdin = bytesOf(), signal = new AbortController().signal, ...reading } = flags;
  return openInput(file, stdin, reading, signal);
}

/** Makes a file with this content. */
export function fileOf(content: string | Uint8Array, name = "animals"): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

/** Returns the rows of a file with this content, the same in both readings. Rejects with a Failure if one is invalid. */
export async function read(
  content: string | Uint8Array,
  name: string,
  flags: Flags = {},
): Promise<readonly Row[]> {
  const input = await openAt(fileOf(content, name), flags);
  try {
    const seen: Row[] = [];
    const { rows, facts } = await input.check({
      add(batch) {
        for (const row of batch) if ("pet" in row) seen.push(row);
      },
    });
    const { refusal } = invalidRows(facts, input, flags, flags.next);
    if (refusal !== undefined) throw refusal;
    const again = await rowsIn(input);
    if (rows !== again.length || JSON.stringify(seen, bigints) !== JSON.stringify(again, bigints))
      throw new Error("the second reading differs from the first");
    return again;
  } finally {
    input.close();
  }
}

/** Returns the valid rows of a checked input. */
export async function rowsIn(input: ImportInput): Promise<readonly Row[]> {
  return (await Array.fromAsync(input.rows())).flat();
}

const bigints = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;

/** Returns the animals of a file as text (`Rex 1 sold`), or what is wrong with it: message, rows and hints. */
export async function outcomeOf(content: string | Uint8Array, name: string, flags: Flags = {}) {
  try {
    return (await read(content, name, flags)).map(({ pet }) =>
      [pet.name, pet.categoryId, ...(pet.status ? [pet.status] : [])].join(" "),
    );
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "usage") throw error;
    const { message, hints, facts } = error;
    const details = (facts.details ?? []).map(({ line, field, message: what }) =>
      [line, field, what].filter((part) => part !== undefined).join(" "),
    );
    const { moreDetails: more = 0 } = facts;
    return {
      message: message.replace(/ in [^;\s]+/, ""),
      details,
      hints,
      ...(more > 0 && { more }),
    };
  }
}

/** Returns what is reported about a file's invalid rows: `line field: message` for each. */
export async function faultsOf(
  content: string | Uint8Array,
  name: string,
): Promise<readonly string[]> {
  const outcome = await outcomeOf(content, name);
  return "details" in outcome ? outcome.details : [];
}
