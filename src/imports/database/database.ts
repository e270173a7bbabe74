import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, linkSync, lstatSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  errorMessage,
  Failure,
  ioFailure,
  isSystemError,
  usageFailure,
} from "../../core/errors.ts";
import { ensurePrivateFolder, openPrivateFile } from "../../platform/private-files.ts";
import { sqliteCode } from "../../platform/sqlite-lock.ts";
import {
  applicationId,
  outcomesView,
  schema,
  schemaVersion,
  upgrade,
  upgradeView,
  upgradedVersion,
} from "./schema.ts";

const maxBusyMs = 60_000;
/** While another process writes, each so many ms the turn is asked for again, after so many times with a notice. */
const [retryMs, retriesUntilNotice] = [20, 50];
/** A larger database is not checked page by page each time, which takes 3 ms a MB. */
const maxCheckedPages = 25_000;
// Each time the write-ahead log is written back costs two syncs.
const checkpointPages = 4000;
// Primary result codes (https://sqlite.org/rescode.html).
const [sqliteError, busy, readOnly, corrupt, full, cannotOpen, notADatabase] = [
  1, 5, 8, 11, 13, 14, 26,
];

/** What is done while another process writes: `sleep` may reject, to end the wait. */
export interface Waits {
  readonly sleep: (ms: number) => Promise<void>;
  readonly note: (line: string) => unknown;
}

/** The record of imports, beside private tables. Throws Failures that name the file: usage for a damaged one, else io. */
export class ImportDatabase {
  readonly folder: string;
  readonly #file: string;
  readonly #sql: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #waits: Waits;
  #isSynced: boolean | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether a transaction is under way: all else writes to private tables. */
  #isWriting = false;
  readonly #inodes: string | undefined;

  /** Opens `imports.db` in the state directory. To `write` it is made if missing; to `read` a missing one is empty. */
  constructor(
    folder: string,
    access: "read" | "write",
    waits: Waits = { sleep: setTimeout, note() {} },
  ) {
    this.folder = folder;
    this.#waits = waits;
    this.#file = path.join(folder, "imports.db");
    this.#sql = this.#attempt(() => open(this.#file, access));
    this.exec(outcomesView);
    if (access === "write") this.#inodes = inodesOf(this.#file);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the columns.
  all<T>(query: string, ...values: readonly SQLInputValue[]): readonly T[] {
    const rows: readonly unknown[] = this.#attempt(() => this.#statement(query).all(...values));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tables are STRICT, and our own.
    return rows as readonly T[];
  }

  /** Runs a statement; returns how many rows it changed. */
  run(statement: string, ...values: readonly SQLInputValue[]): number {
    // No closure: one for each of a million rows makes V8's heap grow.
    try {
      return Number(this.#statement(statement).run(...values).changes);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Runs a statement that must change a row. Throws an internal error if that is gone: what was recorded would be lost. */
  change(statement: string, ...values: readonly SQLInputValue[]): void {
    if (this.run(statement, ...values) === 0)
      throw new Error("a row of the import is not as recorded");
  }

  exec(statements: string): void {
    this.#attempt(() => this.#sql.exec(statements));
  }

  /**
   * Runs `step` in a transaction, in the order of the calls. It then survives the process, and if `isSynced` a loss of
   * power too.
   */
  transact<T>(step: () => T, isSynced = true): Promise<T> {
    const done = this.#last.then(() => this.#transact(step, isSynced));
    this.#last = done.catch(() => {});
    return done;
  }

  /** Waits between two transactions of a long change, until other processes have had their turn. */
  pause(): Promise<void> {
    return this.#waits.sleep(2 * retryMs);
  }

  async #transact<T>(step: () => T, isSynced: boolean): Promise<T> {
    if (isSynced !== this.#isSynced)
      this.exec(`PRAGMA synchronous = ${isSynced ? "FULL" : "NORMAL"}`);
    this.#isSynced = isSynced;
    for (let attempt = 1; !this.#begins(attempt); attempt += 1) {
      if (attempt === retriesUntilNotice) {
        const [other] = this.all<{ name: string }>("SELECT name FROM imports WHERE NOT isReady");
        const who = other === undefined ? "process" : `import (${other.name})`;
        void this.#waits.note(`Waiting for another ${who}, which writes to ${this.#file}.`);
      }
      await this.#waits.sleep(retryMs);
    }
    this.#isWriting = true;
    try {
      const result = step();
      this.run("COMMIT");
      return result;
    } catch (error) {
      // After a full disk, SQLite has done so already.
      if (this.#sql.isTransaction) this.exec("ROLLBACK");
      throw error;
    } finally {
      this.#isWriting = false;
    }
  }

  /** Begins a transaction; returns false if another process has one. Throws at the last attempt. */
  #begins(attempt: number): boolean {
    try {
      this.#sql.exec(`PRAGMA busy_timeout = 0; BEGIN IMMEDIATE`);
      return true;
    } catch (error) {
      if (sqliteCode(error) === busy && attempt * retryMs < maxBusyMs) return false;
      throw this.#failure(error);
    } finally {
      this.#sql.exec(`PRAGMA busy_timeout = ${maxBusyMs}`);
    }
  }

  /** Throws an io Failure if the files that this one writes were moved or removed: no later run would find them. */
  assertInPlace(): void {
    if (this.#attempt(() => inodesOf(this.#file)) === this.#inodes) return;
    const why = `the record of imports ${this.#file} was moved or removed during the run`;
    const hints = ["Put it back before you run the command again, or animals may be added twice."];
    throw new Failure("io", why, { hints, retryable: false });
  }

  close(): void {
    this.#sql.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #statement(text: string): StatementSync {
    const statement = this.#statements.get(text) ?? this.#sql.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    if (this.#isWriting || sqliteCode(error) !== full) return databaseFailure(this.#file, error);
    return ioFailure(
      `a temporary file cannot be written: ${errorMessage(error)}`,
      error,
      "Make room in the temporary directory, or set TMPDIR to another one.",
    );
  }
}

/** Identifies the database file and its log, as they are at their path. */
const inodesOf = (file: string): string =>
  [file, `${file}-wal`]
    .map((each) => statSync(each, { bigint: true, throwIfNoEntry: false })?.ino)
    .join();

function open(file: string, access: "read" | "write"): DatabaseSync {
  if (access === "write") make(file);
  else if (isMissing(file)) {
    const empty = new DatabaseSync("");
    empty.exec(schema);
    return empty;
  }
  // Read-only first, so that a damaged file stays as it is.
  const reading = openReadable(file);
  if (access === "read") {
    if (versionOf(reading) === upgradedVersion) reading.exec(upgradeView);
    return reading;
  }
  reading.close();
  const sql = new DatabaseSync(new URL("?mode=rw", pathToFileURL(file)), { timeout: maxBusyMs });
  sql.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  if (versionOf(sql) === upgradedVersion) {
    sql.exec("BEGIN IMMEDIATE");
    // Another process may have done so meanwhile.
    sql.exec(versionOf(sql) === upgradedVersion ? `${upgrade}; COMMIT` : "COMMIT");
  }
  return sql;
}

/** Returns whether nothing is at `file`; a file may be where its directory should be. */
function isMissing(file: string): boolean {
  try {
    lstatSync(file);
    return false;
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return true;
    throw error;
  }
}

/** Opens the file for reading, also where its directory cannot be written, so that SQLite can share no memory there. */
function openReadable(file: string): DatabaseSync {
  try {
    return openVerified(file);
  } catch (error) {
    // With a log, the file alone is not the whole record.
    const log = lstatSync(`${file}-wal`, { throwIfNoEntry: false });
    const isUnwritable = [readOnly, cannotOpen].includes(sqliteCode(error) ?? 0);
    if (!isUnwritable || (log?.size ?? 0) > 0) throw error;
    return openVerified(file, "?immutable=1");
  }
}

/** Makes an empty database if `file` is missing, under another name first: an empty file is a damaged one. */
function make(file: string): void {
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    return closeSync(openPrivateFile(file, O_RDWR));
  const unfinished = `${file}.${randomUUID()}`;
  ensurePrivateFolder(path.dirname(file));
  closeSync(openPrivateFile(unfinished, O_RDWR | O_CREAT | O_EXCL));
  try {
    const sql = new DatabaseSync(unfinished);
    sql.exec(`PRAGMA auto_vacuum = FULL; BEGIN; ${schema} COMMIT; PRAGMA journal_mode = WAL`);
    sql.close();
    // Another process may have made it meanwhile: a link, unlike a rename, does not replace that one.
    linkSync(unfinished, file);
  } catch (error) {
    if (!isSystemError(error, "EEXIST")) throw error;
  } finally {
    for (const ending of ["", "-wal", "-shm"]) rmSync(`${unfinished}${ending}`, { force: true });
  }
}

function openVerified(file: string, query = ""): DatabaseSync {
  const url = new URL(query, pathToFileURL(file));
  const sql = new DatabaseSync(url, { readOnly: true, timeout: maxBusyMs });
  if (pragma(sql, "application_id") !== applicationId)
    throw unreadable(file, "it is not a record of imports");
  const version = versionOf(sql);
  if (version !== schemaVersion && version !== upgradedVersion)
    throw unreadable(file, `it is of version ${String(version)}, not ${schemaVersion}`);
  const isLarge = Number(pragma(sql, "page_count")) > maxCheckedPages;
  const problem = isLarge ? "ok" : pragma(sql, "quick_check(1)");
  if (problem !== "ok") throw damaged(file, String(problem));
  return sql;
}

const pragma = (sql: DatabaseSync, name: string): unknown =>
  Object.values(sql.prepare(`PRAGMA ${name}`).get() ?? {})[0];
const versionOf = (sql: DatabaseSync): unknown => pragma(sql, "user_version");

/** Returns an error of SQLite or the system as a Failure; any other error unchanged. */
function databaseFailure(file: string, error: unknown): unknown {
  if (error instanceof Failure) return error;
  const code = sqliteCode(error);
  if (code === corrupt || code === notADatabase) return damaged(file, errorMessage(error));
  const isOfSystem = error instanceof Error && "syscall" in error;
  if (!isOfSystem && (code === undefined || code === sqliteError)) return error;
  // Another place would know nothing of what is recorded there.
  const isNew = !existsSync(file);
  const mend = code === full ? "Make room" : "Make sure that it can be written";
  return ioFailure(
    `the record of imports ${file} cannot be used: ${errorMessage(error)}`,
    error,
    "It prevents adding an animal twice.",
    isNew
      ? "To keep it elsewhere, set XDG_STATE_HOME."
      : `${mend}, then run the same command again.`,
  );
}

const damaged = (file: string, what: string): Failure =>
  unreadable(file, `it is damaged (${what})`);

function unreadable(file: string, why: string): Failure {
  return usageFailure(
    `the record of imports ${file} cannot be read: ${why}`,
    "To continue without it, move it to another place. Animals recorded in it may then be added twice.",
  );
}
