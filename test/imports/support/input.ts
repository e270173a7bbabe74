import { readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../../src/core/errors.ts";
import { type ImportInput, openInput } from "../../../src/imports/input/input.ts";
import type { InputFormat, Row } from "../../../src/imports/types.ts";
import { temporaryFolder } from "../../support/program/program.ts";

export interface ReadOptions {
  readonly format?: InputFormat;
  readonly ignoreFields?: boolean;
  readonly name?: string;
}

/** Returns a standard input with these bytes. */
export async function* bytesOf(...texts: readonly (string | Uint8Array)[]) {
  for (const text of texts) yield Buffer.from(text);
}

export function openAt(file: string, options: ReadOptions = {}): Promise<ImportInput> {
  const { format, ignoreFields = false } = options;
  return openInput({
    file,
    ignoreFields,
    stdin: bytesOf(),
    signal: new AbortController().signal,
    ...(format !== undefined && { format }),
  });
}

/** Makes a file with this content. */
export function fileOf(content: string | Uint8Array, name = "animals"): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

/** Returns the rows of a file with this content. Rejects if its check does. */
export async function read(
  content: string | Uint8Array,
  options: ReadOptions = {},
): Promise<readonly Row[]> {
  const input = await openAt(fileOf(content, options.name), options);
  try {
    const seen: Row[] = [];
    const { rows } = await input.check((batch) => {
      for (const row of batch) if ("pet" in row) seen.push(row);
    });
    const again: Row[] = [];
    for await (const batch of input.rows()) again.push(...batch);
    if (rows !== again.length || JSON.stringify(seen, bigints) !== JSON.stringify(again, bigints))
      throw new Error("the second reading differs from the first");
    return again;
  } finally {
    input.close();
  }
}

/** Returns the rows of a checked input. */
export async function rowsIn(input: ImportInput): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of input.rows()) rows.push(...batch);
  return rows;
}

/** Returns what this process has open: path and mode. */
export function openFiles(): { descriptor: number; place: string; mode: number }[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    const link = `/proc/self/fd/${fd}`;
    const mode = statSync(link, { throwIfNoEntry: false })?.mode;
    if (mode === undefined) return [];
    return [{ descriptor: Number(fd), place: readlinkSync(link), mode }];
  });
}

const bigints = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;

/** Returns what is reported about a file's invalid rows: `line field: message` for each. */
export async function faultsOf(
  content: string | Uint8Array,
  options: ReadOptions = {},
): Promise<readonly string[]> {
  const failure = await read(content, options).catch((error: unknown) => error);
  if (!(failure instanceof Failure) || failure.kind !== "usage") throw failure;
  return (failure.facts.details ?? []).map(({ line, field, message }) =>
    field === undefined ? `${line} ${message}` : `${line} ${field} ${message}`,
  );
}
