import { randomUUID } from "node:crypto";
import { closeSync, fchmodSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { errorMessage, Failure, ioFailure, usageFailure } from "../../core/errors.ts";
import { resolveLinks } from "../../platform/private-files.ts";
import type { InputFormat, InputRecord } from "../types.ts";
import {
  entriesOf,
  type ResultsFormat,
  resultsFormat,
  type ResultsInput,
  type RowResult,
} from "./results-format.ts";

/** The rows of an input, valid or not, in their order. */
interface ResultsSource extends ResultsInput {
  records(): AsyncGenerator<InputRecord>;
}

/** Returns what became of the row with this number, from 0. */
export type ResultOf = (number: number, read: InputRecord["read"]) => RowResult;

/** The file of `--results`. */
export interface ResultsFile {
  /** Writes all rows: the file appears whole, or is left as it was. Rejects with an io Failure. */
  write(source: ResultsSource, resultOf: ResultOf): Promise<void>;
}

/** How many bytes are written at once. */
const writeSize = 64 * 1024;

/**
 * Checks that the results can be written to `name`, which may not be the file `input`. Throws a usage or an
 * io Failure.
 */
export function openResults(name: string, input: string): ResultsFile {
  const attempt = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw ioFailure(`cannot write ${name}: ${errorMessage(error)}`, error);
    }
  };
  // Through a link, as a shell would; the rename replaces what it leads to.
  const file = attempt(() => resolveLinks(path.resolve(name)));
  const there = attempt(() => statSync(file, { throwIfNoEntry: false }));
  if (there !== undefined && !there.isFile())
    throw ioFailure(`cannot write ${name}: it is not a regular file`);
  const read = statSync(input, { throwIfNoEntry: false });
  if (there !== undefined && read?.ino === there.ino && read.dev === there.dev)
    throw usageFailure(`--results must not be the input (${name})`);
  const mode = there === undefined ? 0o600 : there.mode & 0o777;
  const open = (): NewFile => new NewFile(file, mode);
  // Known before the first request.
  attempt(() => open().discard());
  return {
    async write(source, resultOf) {
      const target = attempt(open);
      try {
        const add = (text: string): void => attempt(() => target.add(text));
        // Of an input that cannot be read to its end, what is there says more.
        if (await writeRows(source, resultOf, { name, add })) attempt(() => target.finish());
        else target.discard();
      } catch (error) {
        target.discard();
        throw error;
      }
    },
  };
}

/** A file that is made beside another one, and takes its place. */
class NewFile {
  readonly #file: string;
  readonly #temporary: string;
  readonly #fd: number;
  #text = "";

  constructor(file: string, mode: number) {
    this.#file = file;
    this.#temporary = `${file}.${randomUUID()}`;
    // Fails if it exists, a link included.
    this.#fd = openSync(this.#temporary, "wx", 0o600);
    if (mode !== 0o600) fchmodSync(this.#fd, mode);
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= writeSize) this.#flush();
  }

  finish(): void {
    this.#flush();
    closeSync(this.#fd);
    renameSync(this.#temporary, this.#file);
  }

  discard(): void {
    rmSync(this.#temporary, { force: true });
    try {
      closeSync(this.#fd);
    } catch {
      // It was closed before.
    }
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
  }
}

const formats: Readonly<Record<string, InputFormat>> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".ndjson": "ndjson",
  ".json": "json",
};

/** Writes all rows; returns false if the input cannot be read to its end. */
async function writeRows(
  source: ResultsSource,
  resultOf: ResultOf,
  target: { readonly name: string; readonly add: (text: string) => void },
): Promise<boolean> {
  const format = formats[path.extname(target.name).toLowerCase()] ?? source.format;
  const isJson = source.format === "json" || source.format === "ndjson";
  const isTable = format === "csv" || format === "tsv";
  const keys = isJson && isTable ? await keysOf(source) : undefined;
  let writer: ResultsFormat | undefined;
  let number = 0;
  for await (const { read, original } of source.records()) {
    if ("fatal" in read && read.fatal !== undefined) return false;
    // The shape is known with the first record.
    writer ??= startWith(resultsFormat(format, source, keys ?? source.shape.columns ?? []), target);
    target.add(writer.row({ original, result: resultOf(number, read) }));
    number += 1;
  }
  writer ??= startWith(resultsFormat(format, source, keys ?? source.shape.columns ?? []), target);
  target.add(writer.end());
  return true;
}

function startWith(
  format: ResultsFormat,
  { add }: { readonly add: (text: string) => void },
): ResultsFormat {
  add(format.start);
  return format;
}

/** Returns the keys of all rows, in the order in which they come first. */
async function keysOf(source: ResultsSource): Promise<readonly string[]> {
  const keys = new Set<string>();
  for await (const { original } of source.records())
    if (typeof original === "string") for (const [name] of entriesOf(original)) keys.add(name);
  return [...keys];
}
