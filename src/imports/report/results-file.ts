import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { ioFailure, orIoFailure, usageFailure } from "../../core/errors.ts";
import { resolveLinks } from "../../platform/private-files.ts";
import { type ImportInput, formatsByExtension } from "../input/input.ts";
import type { InputFormat, InputRecord } from "../types.ts";
import { entriesOf, isTable, resultsFormat, type RowResult } from "./results-format.ts";

/** The rows of an input, valid or not, in their order. */
type ResultsSource = Pick<ImportInput, "format" | "shape" | "records">;

/** Returns what became of the row with this number, from 0. */
export type ResultOf = (number: number, read: InputRecord["read"]) => RowResult;

export type ResultsFile = ReturnType<typeof openResults>;

/** Checks that results can be written to `name`, which may not be `input`. Throws a usage or an io Failure. */
export function openResults(name: string, input: string) {
  const attempt = <T>(step: () => T): T => orIoFailure(`cannot write ${name}`, step);
  // Through a link, as a shell would; the rename replaces what it leads to.
  const file = attempt(() => resolveLinks(path.resolve(name)));
  const there = attempt(() => statSync(file, { throwIfNoEntry: false }));
  if (there !== undefined && !there.isFile())
    throw ioFailure(`cannot write ${name}: it is not a regular file`);
  const read = statSync(input, { throwIfNoEntry: false });
  if (there !== undefined && read?.ino === there.ino && read.dev === there.dev)
    throw usageFailure(`--results must not be the input (${name})`);
  const mode = there === undefined ? 0o600 : there.mode & 0o777;
  const temporary = `${file}.${randomUUID()}`;
  // Fails if it exists, a link included.
  const open = (): number => attempt(() => openSync(temporary, "wx", 0o600));
  const remove = (fd: number): void => {
    closeSync(fd);
    rmSync(temporary, { force: true });
  };
  // Known before the first request.
  remove(open());
  return {
    /** Writes all rows: the file appears whole, or is left as it was. Rejects with an io Failure. */
    async write(source: ResultsSource, resultOf: ResultOf): Promise<void> {
      const format = formatsByExtension[path.extname(name).toLowerCase()] ?? source.format;
      const fd = open();
      const write = (bytes: Uint8Array): void => attempt(() => writeFileSync(fd, bytes));
      try {
        if (mode !== 0o600) attempt(() => fchmodSync(fd, mode));
        // Of an input that cannot be read to its end, what is there says more.
        if (!(await writeRows(source, resultOf, format, write))) return;
        attempt(() => fsyncSync(fd));
        attempt(() => renameSync(temporary, file));
      } finally {
        remove(fd);
      }
    },
  };
}

/** How much is written at once, in bytes. */
const writeSize = 64 * 1024;

/** Collects text in one buffer: strings that are kept until there is enough to write make V8's heap grow. */
function openWriter(write: (bytes: Uint8Array) => void) {
  const buffer = Buffer.allocUnsafe(writeSize);
  let size = 0;
  const flush = (): void => {
    write(buffer.subarray(0, size));
    size = 0;
  };
  return {
    flush,
    add(text: string): void {
      // At most three bytes for each UTF-16 code unit.
      if (size + text.length * 3 > writeSize) flush();
      if (text.length * 3 > writeSize) write(Buffer.from(text));
      else size += buffer.write(text, size);
    },
  };
}

/** Writes all rows of an input that was read before; returns false if it cannot be read to its end. */
async function writeRows(
  source: ResultsSource,
  resultOf: ResultOf,
  format: InputFormat,
  write: (bytes: Uint8Array) => void,
): Promise<boolean> {
  const columns = source.shape.columns ?? (isTable(format) ? await keysOf(source) : []);
  const rows = resultsFormat(format, source, columns);
  const writer = openWriter(write);
  writer.add(rows.start);
  let number = 0;
  for await (const records of source.records())
    for (const { read, original } of records) {
      if ("fatal" in read && read.fatal !== undefined) return false;
      writer.add(rows.row(number, original, resultOf(number, read)));
      number += 1;
    }
  writer.add(rows.end(number));
  writer.flush();
  return true;
}

/** Returns the keys of all rows, in the order in which they come first. */
async function keysOf(source: ResultsSource): Promise<readonly string[]> {
  const keys = new Set<string>();
  for await (const records of source.records())
    for (const { original } of records)
      if (typeof original === "string") for (const [name] of entriesOf(original)) keys.add(name);
  return [...keys];
}
