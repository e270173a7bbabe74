import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isSystemError } from "../../core/errors.ts";
import { asOwnerOf } from "../../platform/owner.ts";
import { ensurePrivateFolder, openPrivateFile } from "../../platform/private-files.ts";
import { sqliteCode } from "../../platform/sqlite-lock.ts";
import { damaged, databaseFailure, tooNew } from "./failures.ts";
import { applicationId, schema, schemaVersion } from "./schema.ts";

/** The name of the database in the program's state directory. */
const databaseName = "imports.db";
const busyTimeoutMs = 5000;
/** A larger database is not checked page by page each time, which takes 3 ms a MB. */
const maxCheckedBytes = 100 * 1024 * 1024;
/** How much of the private tables is kept in memory; sorting takes as much again. */
const cacheKb = 1000;
/** SQLITE_CANTOPEN (https://sqlite.org/rescode.html). */
const cannotOpen = 14;

/** A connection to the record of imports, beside private tables that vanish with it. */
export interface ImportDatabase {
  /** Absolute path of `imports.db`. */
  readonly file: string;
  readonly sql: DatabaseSync;
  /** Runs `step`; turns errors of SQLite into Failures that name the file. */
  readonly run: <T>(step: () => T) => T;
  readonly close: () => void;
}

/**
 * Opens `imports.db` in the directory `state`. For `write` it is made if it is missing; for `read` nothing
 * is changed, and a missing one counts as empty. Throws a usage Failure for a damaged one, and an io
 * Failure if it can't be used; both name the file.
 */
export function openImports(state: string, access: "read" | "write"): ImportDatabase {
  const file = path.join(state, databaseName);
  const run = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw databaseFailure(file, error);
    }
  };
  const opened = run(() =>
    asOwnerOf(file, () => {
      if (access === "write") make(file);
      return open(file, access);
    }),
  );
  return { file, run, ...opened };
}

/** Makes an empty database under another name, so that under its own it is never half made. */
function make(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    // Takes the permissions of others away.
    closeSync(openPrivateFile(file, constants.O_RDWR));
    return;
  }
  ensurePrivateFolder(path.dirname(file));
  const unfinished = `${file}.${randomUUID()}`;
  closeSync(openPrivateFile(unfinished, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL));
  try {
    const sql = new DatabaseSync(unfinished);
    try {
      sql.exec(`BEGIN; ${schema} COMMIT; PRAGMA journal_mode = WAL`);
    } finally {
      sql.close();
    }
    // Another process may have made it meanwhile: a link, unlike a rename, does not replace that one.
    linkSync(unfinished, file);
  } catch (error) {
    if (!isSystemError(error, "EEXIST")) throw error;
  } finally {
    for (const ending of ["", "-wal", "-shm"]) rmSync(`${unfinished}${ending}`, { force: true });
  }
  syncFolder(path.dirname(file));
}

/** Syncs the entries of a directory to the disk, if the system supports that. Throws if the disk fails. */
function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, constants.O_RDONLY);
    fsyncSync(fd);
  } catch (error) {
    // Windows can't open directories, and some file systems can't sync them.
    if (["EIO", "ENOSPC", "EDQUOT"].some((code) => isSystemError(error, code))) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

type Opened = Pick<ImportDatabase, "sql" | "close">;

function open(file: string, access: "read" | "write"): Opened {
  // The private tables are in a nameless file, which SQLite removes (https://sqlite.org/inmemorydb.html).
  const sql = new DatabaseSync("", { timeout: busyTimeoutMs });
  let copy: string | undefined;
  const close = (): void => {
    sql.close();
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true });
  };
  try {
    sql.exec(`PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF;
      PRAGMA main.cache_size = -${cacheKb}`);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) {
      sql.exec(schema);
      return { sql, close };
    }
    if (!stats.isFile()) throw damaged(file, "it is not a file");
    // Read-only first, so that a damaged file stays as it is.
    copy = attachReadable(sql, file);
    verify(sql, file);
    if (access === "write") attachWritable(sql, file);
    return { sql, close };
  } catch (error) {
    close();
    throw error;
  }
}

function attach(sql: DatabaseSync, file: string, query: string): void {
  sql.prepare("ATTACH ? AS record").run(`${pathToFileURL(file).href}?${query}`);
  // The first access opens the file.
  try {
    sql.prepare("SELECT count(*) FROM record.sqlite_schema").get();
  } catch (error) {
    sql.exec("DETACH record");
    throw error;
  }
}

/**
 * Attaches the file for reading, also in a directory that can't be written, where SQLite has no place for
 * its shared memory. Returns the directory of a copy, if one was needed.
 */
function attachReadable(sql: DatabaseSync, file: string): string | undefined {
  try {
    attach(sql, file, "mode=ro");
    return undefined;
  } catch (error) {
    if (sqliteCode(error) !== cannotOpen) throw error;
  }
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!hasLog) {
    attach(sql, file, "immutable=1");
    return undefined;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "pets-imports-"));
  const copy = path.join(folder, databaseName);
  for (const ending of ["", "-wal"]) copyFileSync(`${file}${ending}`, `${copy}${ending}`);
  attach(sql, copy, "mode=ro");
  return folder;
}

function attachWritable(sql: DatabaseSync, file: string): void {
  sql.exec("DETACH record");
  attach(sql, file, "mode=rw");
  sql.exec("BEGIN IMMEDIATE; COMMIT");
}

function verify(sql: DatabaseSync, file: string): void {
  const pragma = (name: string): unknown =>
    Object.values(sql.prepare(`PRAGMA record.${name}`).get() ?? {})[0];
  if (pragma("application_id") !== applicationId)
    throw damaged(file, "it is not a record of imports");
  const version = Number(pragma("user_version"));
  if (version > schemaVersion) throw tooNew(file, version);
  if (statSync(file).size > maxCheckedBytes) return;
  const problem = pragma("quick_check(1)");
  if (problem !== "ok") throw damaged(file, String(problem));
}
