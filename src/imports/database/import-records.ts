import type { SQLInputValue } from "node:sqlite";
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

/** So many rows are written at a time, 50 to 200 ms; other imports can record theirs in the pauses. */
export const stepRows = 40_000;

const none = new Uint8Array();

/** What a new import inserts, each in the order of its table. */
const inserts = [
  {
    into: "rows (import, number, line, status, state) SELECT ?, number, line, status, state",
    where: "true",
    order: "number",
    start: [-1],
  },
  {
    into: "prints SELECT print, ?, number, key",
    where: "print IS NOT NULL",
    order: "print, status, number",
    start: [none, "", -1],
  },
  {
    into: "keys SELECT key, ?, number, print",
    where: "key IS NOT NULL AND print IS NOT NULL",
    order: "key, number",
    start: [none, -1],
  },
] as const;

/** Begins an import of the staged input with all of its rows. It counts once it is started; returns its id. */
export async function beginImport(
  database: ImportDatabase,
  { input, name, address, host, rows, invalid, started }: NewImport,
): Promise<number> {
  const begin = `INSERT INTO imports (input, name, address, host, rows, invalid, started, active, isReady)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0) RETURNING id`;
  const values = [input, name, address, host, rows, invalid, started, started];
  const [begun] = await database.transact(() => database.all<{ id: number }>(begin, ...values));
  if (begun === undefined) throw new Error("no import has begun");
  for (const { into, where, order, start } of inserts) {
    const after = `FROM input WHERE ${where} AND (${order}) > (${start.map(() => "?").join()}) ORDER BY ${order} LIMIT`;
    let last: readonly SQLInputValue[] | undefined = start;
    while (last !== undefined) {
      const from: readonly SQLInputValue[] = last;
      const insert = `INSERT INTO ${into} ${after} ${stepRows}`;
      await database.transact(() => database.run(insert, begun.id, ...from), false);
      const next = `SELECT ${order} ${after} 1 OFFSET ${stepRows - 1}`;
      const [end] = database.all<Record<string, SQLInputValue>>(next, ...from);
      last = end && Object.values(end);
      if (end !== undefined) await database.pause();
    }
  }
  return begun.id;
}

/** Returns how many imports have begun or gone on: another one has if it is not the same later. */
export const countStarts = (database: ImportDatabase): number =>
  database.all<{ count: number }>("SELECT count FROM starts")[0]?.count ?? 0;

/**
 * Readies an import for a run at a store, and returns it, or undefined if another import has started since `starts` were
 * counted. Rows that a killed process was sending are unknown now.
 */
export function startImport(
  database: ImportDatabase,
  id: number,
  { store, isAgain, starts }: { store?: string | undefined; isAgain: boolean; starts?: number },
): Promise<ImportRecord | undefined> {
  const settle = "UPDATE rows SET state = 'unknown' WHERE import = ? AND state = 'sent'";
  const update = `UPDATE imports SET store = coalesce(store, ?), isAgain = max(isAgain, ?),
    unknown = unknown + sent, sent = 0, isReady = 1 WHERE id = ?`;
  return database.transact(() => {
    if (starts !== undefined && countStarts(database) !== starts) return undefined;
    database.run("UPDATE starts SET count = count + 1");
    const isKilled = "SELECT 1 FROM imports WHERE id = ? AND sent > 0";
    if (database.all(isKilled, id).length > 0) database.run(settle, id);
    database.run(update, store ?? null, Number(isAgain), id);
    return readImport(database, id);
  });
}

/** Returns the imports that a process was beginning or removing, and may be still. */
export const unreadyImports = (database: ImportDatabase) =>
  database.all<{ id: number; input: string }>("SELECT id, input FROM imports WHERE NOT isReady");

/** Removes imports with their rows: as soon as that begins, they don't count. Rejects as ImportDatabase does. */
export async function removeImports(database: ImportDatabase, ids: readonly number[]) {
  if (ids.length === 0) return;
  const these = `(${ids.join()})`;
  await database.transact(() =>
    database.run(`UPDATE imports SET isReady = 0 WHERE id IN ${these}`),
  );
  const remove = `DELETE FROM rows WHERE (import, number) IN
    (SELECT import, number FROM rows WHERE import IN ${these} LIMIT ${stepRows})`;
  while ((await database.transact(() => database.run(remove), false)) > 0) await database.pause();
  for (const [table, column] of [
    ["prints", "print"],
    ["keys", "key"],
  ] as const) {
    const next = `SELECT ${column} AS value FROM ${table} WHERE ${column} > ? ORDER BY ${column} LIMIT 1 OFFSET ${stepRows}`;
    const step = `DELETE FROM ${table} WHERE ${column} > ? AND ${column} <= coalesce(?, ${column}) AND import IN ${these}`;
    for (let last: Uint8Array | null = none; last !== null;) {
      const from: Uint8Array = last;
      last = database.all<{ value: Uint8Array }>(next, from)[0]?.value ?? null;
      const to: Uint8Array | null = last;
      await database.transact(() => database.run(step, from, to), false);
      if (to !== null) await database.pause();
    }
  }
  await database.transact(() => database.run(`DELETE FROM imports WHERE id IN ${these}`));
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
