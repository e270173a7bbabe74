import { Failure } from "../../core/errors.ts";
import type { RowCounts } from "../types.ts";
import type { ImportDatabase } from "./database.ts";

/** Where an import of an input to one store begins. Times are in ms since the epoch. */
export interface NewImport extends Pick<RowCounts, "rows" | "invalid"> {
  /** `inputHash` of the input's content and the base URL. */
  readonly input: string;
  /** The name of the input, for people. */
  readonly name: string;
  /** `addressHash` of the base URL. */
  readonly address: string;
  /** Host and port, for people. */
  readonly host: string;
  readonly started: number;
}

/** One import, as table `imports` has it. */
export interface ImportRecord extends NewImport, RowCounts {
  readonly id: number;
  /** The id of the store that the rows were sent to, if it sent one. */
  readonly store: string | null;
  /** When it last recorded anything. */
  readonly active: number;
  /** Whether all of its rows are recorded, and can be known again. */
  readonly isPrepared: 0 | 1;
  readonly isFinished: 0 | 1;
  /** Whether all rows are sent regardless of what other imports added (`--again`). */
  readonly isAgain: 0 | 1;
}

/** Returns whether a run would rely on what is recorded: rows, or the id of a store. */
export const hasRecords = ({ rows, unsent, invalid, store }: ImportRecord): boolean =>
  store !== null || unsent + invalid < rows;

/** Returns all imports, newest first. */
export const listImports = (database: ImportDatabase): readonly ImportRecord[] =>
  database.all("SELECT * FROM imports ORDER BY id DESC");

/** Returns the import with this id. Throws a not_found Failure if there is none. */
export function readImport(database: ImportDatabase, id: number): ImportRecord {
  const [found] = database.all<ImportRecord>("SELECT * FROM imports WHERE id = ?", id);
  if (found !== undefined) return found;
  const hints = ["See `pets imports`."];
  throw new Failure("not_found", `no import has the id ${id}`, { hints, retryable: false });
}

/** Returns the imports of an input at its base URL, the last active first: only the newest one for each store. */
export function importsOfInput(database: ImportDatabase, input: string): readonly ImportRecord[] {
  const last = "SELECT max(id) FROM imports WHERE input = ? GROUP BY store";
  return database.all(
    `SELECT * FROM imports WHERE id IN (${last}) ORDER BY active DESC, id DESC`,
    input,
  );
}

/** Begins an import, and returns it. */
export function beginImport(
  database: ImportDatabase,
  { input, name, address, host, rows, invalid, started }: NewImport,
): ImportRecord {
  const begin = `INSERT INTO imports (input, name, address, host, rows, invalid, started, active)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) RETURNING *`;
  const place = [input, name, address, host, rows, invalid, started];
  const [record] = database.transact(() => database.all<ImportRecord>(begin, ...place));
  if (record === undefined) throw new Error("no import has begun");
  return record;
}

/** How many rows are written in one transaction, so that no other import waits long. */
export const rowsAtOnce = 50_000;

/**
 * Readies an import of the staged input for a run at a store, if it sent its id, and returns it. Rows that a process
 * was sending when it died are unknown from now on. Before the first row is sent, all are recorded.
 */
export function readyImport(
  database: ImportDatabase,
  { id, rows, sent, isPrepared }: ImportRecord,
  { store, isAgain }: { readonly store?: string | undefined; readonly isAgain: boolean },
): ImportRecord {
  const settle = "UPDATE rows SET state = 'unknown' WHERE import = ? AND state = 'sent'";
  const update = `UPDATE imports SET store = coalesce(store, ?), isAgain = max(isAgain, ?),
    unknown = unknown + sent, sent = 0 WHERE id = ?`;
  database.transact(() => {
    if (sent > 0) database.run(settle, id);
    database.run(update, store ?? null, Number(isAgain), id);
  });
  if (isPrepared === 0) recordRows(database, id, rows);
  return readImport(database, id);
}

/** Copies the staged rows of an import into the record. */
function recordRows(database: ImportDatabase, id: number, rows: number): void {
  const copy = `INSERT OR IGNORE INTO rows (import, number, line, status, state)
    SELECT ?, number, line, status, state FROM input WHERE number >= ? AND number < ?`;
  for (let first = 0; first < rows; first += rowsAtOnce)
    database.transact(() => database.run(copy, id, first, first + rowsAtOnce));
  const index = `INSERT OR IGNORE INTO prints SELECT print, ?, number FROM input
    WHERE print >= ? AND print < ? ORDER BY print, number`;
  for (const range of printRanges(rows)) database.transact(() => database.run(index, id, ...range));
  database.transact(() => database.run("UPDATE imports SET isPrepared = 1 WHERE id = ?", id));
}

/** Returns ranges of prints that together have all of them. */
function printRanges(rows: number): readonly (readonly [Uint8Array, Uint8Array])[] {
  const count = Math.min(256, Math.ceil(rows / rowsAtOnce));
  const bound = (part: number): Uint8Array =>
    part < count ? Uint8Array.of((part * 256) / count) : new Uint8Array(17).fill(255);
  return Array.from({ length: count }, (_none, part) => [bound(part), bound(part + 1)]);
}

/** Removes imports, with all that is recorded of their rows: they are gone at once, even if this is killed midway. */
export function forgetImports(database: ImportDatabase, records: readonly ImportRecord[]): void {
  database.transact(() => {
    for (const { id } of records) database.run("DELETE FROM imports WHERE id = ?", id);
  });
  sweepForgotten(database);
}

/** The imports that were removed, but not all of their rows. */
const forgotten = `WITH RECURSIVE found (id) AS (SELECT min(import) FROM rows UNION ALL
    SELECT (SELECT min(import) FROM rows WHERE import > found.id) FROM found WHERE found.id IS NOT NULL)
  SELECT id FROM found WHERE id NOT IN (SELECT id FROM imports)`;

/** Removes what is left of the rows of imports that were removed: those of `rows` last, as they are found by them. */
export function sweepForgotten(database: ImportDatabase): void {
  const left = database.all<{ id: number }>(forgotten);
  if (left.length === 0) return;
  // Nothing relies on these steps: they need no sync.
  const prints = `DELETE FROM prints WHERE print >= ? AND print < ?
    AND import NOT IN (SELECT id FROM imports)`;
  for (const range of printRanges(Infinity))
    database.transact(() => database.run(prints, ...range), false);
  const some = `DELETE FROM rows WHERE import = ?1
    AND number < (SELECT min(number) + ${rowsAtOnce} FROM rows WHERE import = ?1)`;
  for (const { id } of left) while (database.transact(() => database.run(some, id), false) > 0);
}
