import { closeSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorMessage, ioFailure, orIoFailure } from "../../../core/errors.ts";
import { openPrivateFile, resolveLinks } from "../../../platform/private-files.ts";
import { sqliteCode, tryLock } from "../../../platform/sqlite-lock.ts";
import { noStore, StorageError } from "../storage.ts";

/** Marks a SQLite file as ours: `PETS` in ASCII (https://sqlite.org/pragma.html#pragma_application_id). */
const applicationId = 0x50455453;

/** The version of the schema that this program knows; stored as SQLite's user_version. */
const schemaVersion = 7;

/** Animals are finished JSON, counted as they are added: to count a million takes too long. A key's usage is JSON as well. */
const schema = `CREATE TABLE pets (id INTEGER PRIMARY KEY, status TEXT, json TEXT NOT NULL) STRICT;
   CREATE INDEX pets_by_status ON pets (status);
   CREATE TABLE counts (status TEXT UNIQUE, count INTEGER NOT NULL) STRICT;
   INSERT INTO counts VALUES (NULL, 0), ('available', 0), ('pending', 0), ('sold', 0);
   CREATE TRIGGER counted AFTER INSERT ON pets BEGIN
     UPDATE counts SET count = count + 1 WHERE status IS new.status;
   END;
   CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     hash BLOB NOT NULL,
     plan TEXT NOT NULL,
     is_operator INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     usage TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE store (id TEXT NOT NULL, page_secret TEXT NOT NULL) STRICT;
   INSERT INTO store VALUES (${randomHex(8)}, ${randomHex(32)});`;

/** Returns the version of the schema in `database`; 0 if there is none yet. */
function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Creates the tables of a data file that has none, in one transaction. Throws SQLite's errors. */
export function createTables(database: DatabaseSync): void {
  if (readVersion(database) === schemaVersion) return;
  database.exec(`BEGIN IMMEDIATE;
    PRAGMA application_id = ${applicationId};
    ${schema}
    PRAGMA user_version = ${schemaVersion};
    COMMIT;`);
}

/** Returns SQL for random bytes from a generator that the system seeds. */
export function randomHex(bytes: number): string {
  return `lower(hex(randomblob(${bytes})))`;
}

/** Locks a data file, which need not exist; returns its path without links. Throws an io Failure, and changes nothing. */
export function lockDataFile(name: string) {
  return orIoFailure(unusable(name), () => {
    // The lock is next to the file, so every name of the file must resolve to the same path.
    const file = resolveLinks(name);
    checkFile(file);
    const lockName = `${file}.lock`;
    const lock = orIoFailure(`the lock ${lockName} cannot be used`, () => tryLock(lockName));
    if (lock !== undefined) return { file, lock };
    throw ioFailure(
      `the data file ${file} is in use by another store`,
      undefined,
      "Stop that store, or use another file with `--data`, or `--memory`.",
    );
  });
}

/** Creates the data file if it does not exist (mode 0600), or closes it to other users. Throws an io Failure. */
export function makePrivate(file: string): void {
  const { O_RDWR, O_CREAT } = constants;
  orIoFailure(unusable(file), () => closeSync(openPrivateFile(file, O_RDWR | O_CREAT)));
}

/** Returns the path without links of a data file, locked or not. Throws an io Failure if there is none at `name`. */
export function findDataFile(name: string): string {
  return orIoFailure(unusable(name), () => {
    if (!existsSync(name)) throw noStore(path.resolve(name));
    const file = resolveLinks(name);
    if (checkFile(file) === 0) throw noStore(file);
    return file;
  });
}

/** Returns what `use` makes of a database, which waits `timeout` ms for others that write. Throws a StorageError. */
export function openFile<T>(file: string, timeout: number, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout });
  try {
    return use(database);
  } catch (error) {
    database.close();
    throw sqliteError(file, error);
  }
}

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_FULL (https://sqlite.org/rescode.html). */
const transientCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 13]);

/** Returns `error`, or if it is SQLite's, the StorageError that names the data file `file`, or memory. */
export function sqliteError(file: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  // After an I/O error all may be stored.
  const problem = transientCodes.has(code) ? "unavailable" : "refused";
  return new StorageError(`${unusable(file)}: ${errorMessage(error)}`, problem, error);
}

// SQLITE_NOTADB (https://sqlite.org/rescode.html).
const notADatabase = 26;

/** Returns the version of the schema in `file`; 0 if there is none. Throws an io Failure if it is not ours to write. */
function checkFile(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === false) throw new Error("it is not a regular file");
  if (stats === undefined || stats.size === 0) return 0;
  const foreign = ioFailure(`${file} is not a pets data file; it was not modified`);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const header = database.prepare("PRAGMA application_id").get();
    if (header?.application_id !== applicationId) throw foreign;
    const version = readVersion(database);
    if (version === schemaVersion || version === 0) return version;
    throw ioFailure(
      `the data file ${file} was created by ${version > schemaVersion ? "a newer" : "an older"} pets: this pets supports schema ${schemaVersion}, and the file has ${version}`,
    );
  } catch (error) {
    throw sqliteCode(error) === notADatabase ? foreign : error;
  } finally {
    database.close();
  }
}

function unusable(file: string): string {
  return `the data file ${path.resolve(file)} cannot be used`;
}
