import type { ImportDatabase } from "./open.ts";
import { type RowCounts, stateCode, stateOf } from "./schema.ts";
import { transact } from "./transaction.ts";
import type { RowState } from "../types.ts";

/** One import: an input, sent to one store. Times are in ms since the epoch. */
export interface ImportRecord {
  readonly id: number;
  /** `inputHash` of the input's content and the base URL. */
  readonly input: string;
  /** The name of the input, for people. */
  readonly name: string;
  /** `addressHash` of the base URL. */
  readonly address: string;
  /** Host and port, for people. */
  readonly host: string;
  /** The id of the store that the rows were sent to, if it told one. */
  readonly store: string | undefined;
  /** A hash of the API key that it was begun with. */
  readonly key: string;
  readonly rows: number;
  readonly started: number;
  /** When it last recorded anything. */
  readonly active: number;
  /** Whether its rows can be known again by their prints. */
  readonly isPrepared: boolean;
  readonly isFinished: boolean;
  /** Whether all rows are sent whatever other imports added (`--again`). */
  readonly isAgain: boolean;
  readonly counts: RowCounts;
}

/** What a new import begins with. */
export type NewImport = Omit<
  ImportRecord,
  "id" | "active" | "isPrepared" | "isFinished" | "counts"
>;

/** How long a finished import is remembered after its last activity, in ms (`help bulk`). */
export const memoryMs = 90 * 24 * 3600 * 1000;

/** Returns all imports, newest first. */
export function listImports(database: ImportDatabase): readonly ImportRecord[] {
  return database.run(() =>
    database.sql.prepare("SELECT * FROM imports ORDER BY id DESC").all().map(recordOf),
  );
}

/** Returns an import that is recorded. */
export function readImport({ run, sql }: ImportDatabase, id: number): ImportRecord {
  const query = "SELECT * FROM imports WHERE id = ?";
  return run(() => recordOf(sql.prepare(query).get(id) ?? {}));
}

/** Returns the imports of an input at its base URL, newest first: only the last one for each store. */
export function importsOfInput(database: ImportDatabase, input: string): readonly ImportRecord[] {
  const rows = database.run(() =>
    database.sql.prepare("SELECT * FROM imports WHERE input = ? ORDER BY id DESC").all(input),
  );
  const byStore = Map.groupBy(rows.map(recordOf), ({ store }) => store);
  return [...byStore.values()].flatMap(([last]) => last ?? []);
}

function recordOf(row: Readonly<Record<string, unknown>>): ImportRecord {
  const number = (name: string): number => Number(row[name]);
  const counts = {
    sent: number("sent"),
    added: number("added"),
    rejected: number("rejected"),
    unknown: number("unknown"),
    known: number("known"),
    changed: number("changed"),
    invalid: number("invalid"),
    resent: 0,
  };
  const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    id: number("id"),
    input: String(row.input),
    name: String(row.name),
    address: String(row.address),
    host: String(row.host),
    store: typeof row.store === "string" ? row.store : undefined,
    key: String(row.key),
    rows: number("rows"),
    started: number("started"),
    active: number("active"),
    isPrepared: row.prepared === 1,
    isFinished: row.finished === 1,
    isAgain: row.again === 1,
    counts: { ...counts, unsent: number("rows") - done },
  };
}

/** Begins an import of the staged input, and returns it; see `prepareRows`. */
export function beginImport(database: ImportDatabase, begin: NewImport): ImportRecord {
  const { sql } = database;
  const { input, name, address, host, store = null, key, rows, started, isAgain } = begin;
  return transact(database, () => {
    const { lastInsertRowid } = sql
      .prepare(
        `INSERT INTO imports (input, name, address, host, store, key, rows, started, active, again)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(input, name, address, host, store, key, rows, started, started, isAgain ? 1 : 0);
    const id = Number(lastInsertRowid);
    sql
      .prepare(
        `INSERT INTO lines SELECT ?, number, shift FROM (
           SELECT number, line - number AS shift, lag(line - number) OVER (ORDER BY number) AS before
           FROM input) WHERE shift IS NOT before`,
      )
      .run(id);
    recordInvalid(sql, id, rows);
    return readImport(database, id);
  });
}

/** How many rows are written in one transaction, so that no other import waits long. */
const rowsAtOnce = 50_000;

/** Records the prints of the staged input, unless an earlier run did: before the first row is sent. */
export function prepareRows(
  database: ImportDatabase,
  { id, rows, isPrepared }: ImportRecord,
): void {
  if (isPrepared) return;
  const { sql } = database;
  const insert = sql.prepare(
    `INSERT OR IGNORE INTO prints SELECT print, ?, number, status FROM input
     WHERE print >= ? AND print < ? ORDER BY print, number`,
  );
  for (const [first, end] of printRanges(rows > rowsAtOnce))
    transact(database, () => insert.run(id, first, end));
  transact(database, () => sql.prepare("UPDATE imports SET prepared = 1 WHERE id = ?").run(id));
}

/** Yields ranges of prints that together have all of them: many small ones, or a single one. */
function* printRanges(isMany: boolean): Generator<readonly [Uint8Array, Uint8Array]> {
  const step = isMany ? 1 : 256;
  const most = Uint8Array.from({ length: 17 }, () => 255);
  for (let first = 0; first < 256; first += step)
    yield [Uint8Array.of(first), first + step < 256 ? Uint8Array.of(first + step) : most];
}

/** Records which rows of an import are invalid: those that are not staged. */
function recordInvalid(sql: ImportDatabase["sql"], id: number, rows: number): void {
  const staged = sql.prepare("SELECT count(*) AS many FROM input").get();
  if (Number(staged?.many) === rows) return;
  const { changes } = sql
    .prepare(
      `WITH RECURSIVE numbers (number) AS
         (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < ?2)
       INSERT INTO rows (import, number, state) SELECT ?1, number, ?3 FROM numbers
       WHERE number NOT IN (SELECT number FROM input)`,
    )
    .run(id, rows, stateCode("invalid"));
  sql.prepare("UPDATE imports SET invalid = ? WHERE id = ?").run(changes, id);
}

/** Records the id of the store that an import sends to. */
export function recordStore(database: ImportDatabase, id: number, store: string): void {
  const update = "UPDATE imports SET store = ? WHERE id = ?";
  transact(database, () => database.sql.prepare(update).run(store, id));
}

/** Records that all rows of an import are sent, whatever other imports added. */
export function acceptAll(database: ImportDatabase, id: number): void {
  const update = "UPDATE imports SET again = 1 WHERE id = ?";
  transact(database, () => database.sql.prepare(update).run(id));
}

/** Records that no row of an import is left. */
export function recordFinished(database: ImportDatabase, id: number, now: number): void {
  const update = "UPDATE imports SET finished = 1, active = ? WHERE id = ?";
  transact(database, () => database.sql.prepare(update).run(now, id));
}

/** What is recorded of a row. */
export interface RecordedRow {
  readonly number: number;
  readonly state: RowState;
  readonly id?: bigint;
  readonly code?: string;
  readonly error?: string;
}

/** Returns what is recorded of the rows `first` to `last` of an import; the others are unsent. */
export function recordedRows(
  { run, sql }: ImportDatabase,
  [id, first, last]: readonly [id: number, first: number, last: number],
): ReadonlyMap<number, RecordedRow> {
  const found = run(() => {
    const statement = sql.prepare(
      "SELECT number, state, id, code, error FROM rows WHERE import = ? AND number BETWEEN ? AND ?",
    );
    statement.setReadBigInts(true);
    return statement.all(id, first, last);
  });
  return new Map(
    found.map((row) => {
      const number = Number(row.number);
      return [
        number,
        {
          number,
          state: stateOf(row.state),
          ...(typeof row.id === "bigint" && { id: row.id }),
          ...(row.code !== null && { code: String(row.code) }),
          ...(row.error !== null && { error: String(row.error) }),
        },
      ];
    }),
  );
}

/** Removes an import, with all that is recorded of its rows. */
export function forgetImport(database: ImportDatabase, { id, rows }: ImportRecord): void {
  const { sql } = database;
  for (const table of ["rows", "lines"]) {
    const remove = sql.prepare(
      `DELETE FROM ${table} WHERE import = ? AND number >= ? AND number < ?`,
    );
    for (let first = 0; first < rows; first += rowsAtOnce)
      transact(database, () => remove.run(id, first, first + rowsAtOnce));
  }
  const remove = sql.prepare("DELETE FROM prints WHERE import = ? AND print >= ? AND print < ?");
  for (const [first, end] of printRanges(rows > rowsAtOnce))
    transact(database, () => remove.run(id, first, end));
  transact(database, () => sql.prepare("DELETE FROM imports WHERE id = ?").run(id));
}

/** Removes finished imports that were last active 90 days ago, unless `isHeld`. */
export function forgetOldImports(
  database: ImportDatabase,
  now: number,
  isHeld: (record: ImportRecord) => boolean,
): void {
  for (const each of listImports(database))
    if (each.isFinished && each.active < now - memoryMs && !isHeld(each))
      forgetImport(database, each);
}
