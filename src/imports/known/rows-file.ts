import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { isSystemError } from "../../core/errors.ts";
import { journalIoFailure } from "../journal/errors.ts";
import { type Fingerprints, fingerprintBytes } from "./fingerprints.ts";
import type { WordSource } from "./row-index.ts";

/** What the file of an input's rows says about them. */
export interface RowsFileHeader {
  /** How many rows the input has. */
  readonly rows: number;
  /** `addressHash` of the base URL. */
  readonly address: string;
  /** The name of the input, for people. */
  readonly input: string;
}

// A line of JSON, then 16 bytes per row. The first word is followed by the version.
const magic = "pets-bulk-rows 1 ";
const maxHeaderBytes = 4096;
const maxInputName = 200;
const chunkBytes = 65_536 * fingerprintBytes;

/** Returns the path of the file with the rows of an input, next to its journals. */
export function rowsFile(folder: string, name: string): string {
  return path.join(folder, `${name}.rows`);
}

/**
 * Writes the rows of an input atomically, with mode 0600, so that later runs of other inputs recognise
 * them. Throws an io Failure.
 */
export function writeRowsFile(
  file: string,
  header: Omit<RowsFileHeader, "rows">,
  rows: Fingerprints,
): void {
  const temporary = `${file}.new`;
  try {
    rmSync(temporary, { force: true });
    const fd = openSync(temporary, "wx", 0o600);
    try {
      const input = header.input.slice(-maxInputName).toWellFormed();
      const text = JSON.stringify({ rows: rows.length, address: header.address, input });
      writeAll(fd, Buffer.from(`${magic}${text}\n`));
      for (const chunk of rows.bytes()) writeAll(fd, chunk);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch (error) {
    throw journalIoFailure(file, "written", error);
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

/** Returns the header of the file; undefined if there is no file of this version. */
export function readRowsHeader(file: string): RowsFileHeader | undefined {
  return withFile(file, (fd) => readHeader(fd)?.header);
}

/** Calls `each` with every row of the file, in order. Throws an io Failure. */
export function readRows(file: string, each: (source: WordSource, row: number) => void): void {
  withFile(file, (fd) => {
    const found = readHeader(fd);
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let position = found?.length ?? 0;
    let first = 0;
    let rows = found === undefined ? 0 : chunkBytes;
    const source: WordSource = {
      word: (row, index) => buffer.readInt32LE((row - first) * fingerprintBytes + index * 4),
    };
    while (rows > 0) {
      rows = Math.floor(readSync(fd, buffer, 0, chunkBytes, position) / fingerprintBytes);
      for (let row = first; row < first + rows; row += 1) each(source, row);
      first += rows;
      position += rows * fingerprintBytes;
    }
  });
}

function withFile<Result>(file: string, use: (fd: number) => Result): Result | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, "r");
    return use(fd);
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw journalIoFailure(file, "read", error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function readHeader(fd: number): { header: RowsFileHeader; length: number } | undefined {
  const buffer = Buffer.alloc(maxHeaderBytes);
  const text = buffer.subarray(0, readSync(fd, buffer, 0, maxHeaderBytes, 0));
  const end = text.indexOf("\n");
  if (end < 0 || !text.toString("latin1").startsWith(magic)) return undefined;
  try {
    const { rows, address, input } = JSON.parse(text.toString("utf8", magic.length, end));
    return {
      header: { rows: Number(rows), address: String(address), input: String(input) },
      length: end + 1,
    };
  } catch {
    return undefined;
  }
}
