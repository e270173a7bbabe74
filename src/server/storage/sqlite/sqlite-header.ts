import { closeSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { ioFailure, errorMessage } from "../../../core/errors.ts";
import { isSystemError } from "../../../platform/private-files.ts";
import { applicationId, schemaVersion } from "./schema.ts";

// https://sqlite.org/fileformat.html#the_database_header
const headerLength = 100;
const magic = "SQLite format 3\0";
const userVersionAt = 60;
const applicationIdAt = 68;

/**
 * Whether `file` is a store's; false where it is missing or empty. Reads its header alone. Throws an io
 * Failure that names it where it is something else, or a newer program made it.
 */
export function checkFile(file: string): boolean {
  const header = readHeader(file);
  if (header === undefined || header.length === 0) return false;
  const isSqlite = header.length === headerLength && header.toString("latin1", 0, 16) === magic;
  if (!isSqlite || header.readUInt32BE(applicationIdAt) !== applicationId)
    throw ioFailure(`${file} is no store's data file, and was left as it is`);
  const version = header.readUInt32BE(userVersionAt);
  if (version > schemaVersion) throw tooNew(file, version);
  return true;
}

function readHeader(file: string): Buffer | undefined {
  try {
    const about = statSync(file);
    if (!about.isFile()) throw new Error("it is not a regular file");
    // Lock and write-ahead log stand beside one of its names alone (https://sqlite.org/howtocorrupt.html, 2.5).
    if (about.nlink > 1)
      throw new Error("it has hard links, so that two stores could change it at once");
    const descriptor = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(headerLength);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, headerLength, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw dataFileFailure(file, error);
  }
}

/** The io Failure of a data file that the system, or SQLite, can't use. */
export function dataFileFailure(file: string, error: unknown): Error {
  const name = path.resolve(file);
  return ioFailure(`the data file ${name} can't be used: ${errorMessage(error)}`, error);
}

/** The io Failure of a data file whose schema is a later one than this program knows. */
export function tooNew(file: string, version: number): Error {
  const known = `this one knows schemas up to ${schemaVersion}, and the file has ${version}`;
  return ioFailure(`the data file ${file} was made by a newer pets: ${known}`);
}
