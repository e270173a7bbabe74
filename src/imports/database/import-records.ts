import { Failure } from "../../core/errors.ts";
import type { RowCounts, RowState } from "../types.ts";
import type { ImportDatabase } from "./database.ts";

/** Where an import of an input to one store begins. Times are in ms since the epoch. */
export interface NewImport extends Pick<RowCounts, "rows" | "invalid"> {
  /** `importPlace` the input's content and the base URL. */
  readonly input: string;
  readonly name: string;
  /** `importPlace` the base URL. */
  readonly address: string;
  readonly host: string;
  readonly started: number;
}

export interface ImportRecord extends NewImport, RowCounts {
  readonly id: number;
  /** The id that the store sent. */
  readonly store: string | null;
  readonly active: number;
  /** Whether rows that other imports added are sent too (`--again`). */
  readonly isAgain: 0 | 1;
}

/** Returns whether a run would rely on what is recorded: rows, or the id of a store. */
export const hasRecords = ({ rows, unsent, invalid, store }: ImportRecord): boolean =>
  store !== null || unsent + invalid < rows;

/** Returns whether nothing is left that was not sent. */
export const isFinished = ({ unsent, sent }: Pick<RowCounts, "unsent" | "sent">): boolean =>
  unsent + sent === 0;

/** Newest first. */
export const listImports = (database: ImportDatabase): readonly ImportRecord[] =>
  database.all("SELECT * FROM imports WHERE isReady ORDER BY id DESC");

/** Returns the import with this id. Throws a not_found Failure if it does not exist. */
export function readImport(database: ImportDatabase, id: number): ImportRecord {
  const [found] = database.all<ImportRecord>("SELECT * FROM imports WHERE id = ? AND isReady", id);
  if (found !== undefined) return found;
  const hints = ["See `pets imports`."];
  throw new Failure("not_found", `no import has the id ${id}`, { hints, retryable: false });
}

/** Returns the imports of an input at its base URL, the last active first: only the newest one for each store. */
export function importsOfInput(database: ImportDatabase, input: string): readonly ImportRecord[] {
  const last = "SELECT max(id) FROM imports WHERE input = ? AND isReady GROUP BY store";
  const query = `SELECT * FROM imports WHERE id IN (${last}) ORDER BY active DESC, id DESC`;
  return database.all(query, input);
}

const insertRows = `INSERT INTO rows (import, number, line, status, state)
  SELECT ?, number, line, status, state FROM input`;
const insertPrints = `INSERT INTO prints
  SELECT print, ?, number, key FROM input WHERE print IS NOT NULL ORDER BY print, number`;
const insertKeys = `INSERT INTO keys
  SELECT key, ?, number, print FROM input WHERE key IS NOT NULL AND print IS NOT NULL ORDER BY key`;

/** Begins an import of the staged input, with all of its rows, and returns it. */
export function beginImport(
  database: ImportDatabase,
  { input, name, address, host, rows, invalid, started }: NewImport,
): ImportRecord {
  const begin = `INSERT INTO imports (input, name, address, host, rows, invalid, started, active, isReady)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, 1) RETURNING *`;
  return database.transact(() => {
    const place = [input, name, address, host, rows, invalid, started];
    const [record] = database.all<ImportRecord>(begin, ...place);
    if (record === undefined) throw new Error("no import has begun");
    for (const statement of [insertRows, insertPrints, insertKeys])
      database.run(statement, record.id);
    return record;
  });
}

/** Readies an import for a run at a store, and returns it. Rows that a killed process was sending are unknown now. */
export function readyImport(
  database: ImportDatabase,
  { id, sent }: Pick<ImportRecord, "id" | "sent">,
  { store, isAgain }: { readonly store?: string | undefined; readonly isAgain: boolean },
): ImportRecord {
  const settle = "UPDATE rows SET state = 'unknown' WHERE import = ? AND state = 'sent'";
  const update = `UPDATE imports SET store = coalesce(store, ?), isAgain = max(isAgain, ?),
    unknown = unknown + sent, sent = 0 WHERE id = ?`;
  database.transact(() => {
    if (sent > 0) database.run(settle, id);
    database.run(update, store ?? null, Number(isAgain), id);
  });
  return readImport(database, id);
}

/** Removes imports with their rows. Throws as ImportDatabase does. */
export function forgetImports(database: ImportDatabase, records: readonly ImportRecord[]): void {
  database.transact(() => {
    for (const { id } of records) {
      database.run("DELETE FROM imports WHERE id = ?", id);
      database.run("DELETE FROM rows WHERE import = ?", id);
    }
    for (const index of ["prints", "keys"])
      database.run(`DELETE FROM ${index} WHERE import NOT IN (SELECT id FROM imports)`);
  });
}

export interface RecordedRow {
  readonly number: number;
  readonly line: number;
  readonly state: RowState;
  /** In digits. */
  readonly id: string | null;
  readonly code: string | null;
  readonly error: string | null;
}

/** Returns at most `count` rows of an import from the number `first` on, in their order. */
export function recordedRows(
  database: ImportDatabase,
  { id }: Pick<ImportRecord, "id">,
  first: number,
  count: number,
): readonly RecordedRow[] {
  const query = `SELECT number, line, state, CAST(id AS TEXT) AS id, code, error FROM rows
    WHERE import = ? AND number >= ? ORDER BY number LIMIT ?`;
  return database.all(query, id, first, count);
}
