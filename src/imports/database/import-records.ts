import type { SQLInputValue } from "node:sqlite";
import { Failure } from "../../core/errors.ts";
import type { RowCounts, Outcome, RowState } from "../types.ts";
import type { ImportDatabase } from "./database.ts";

/** Where an import of an input to one store begins. Times are in ms since the epoch. */
export interface NewImport {
  /** `importPlace` the input's content and the base URL. */
  readonly input: string;
  readonly name: string;
  /** `importPlace` the base URL. */
  readonly address: string;
  readonly host: string;
  readonly started: number;
}

/** An import, and how many of its rows ended in which way, as it was when it was read. */
export interface ImportRecord extends NewImport, RowCounts {
  readonly id: number;
  /** The id that the store sent. */
  readonly store: string | null;
  readonly active: number;
  /** When its last row was sent: which start of the machine that was, and its uptime in ms. */
  readonly boot: string;
  readonly sentAt: number;
}

/** Returns how many rows are left that were not sent, those included that a running import is to send. */
export const rowsLeft = ({ unsent, waiting }: Pick<RowCounts, "unsent" | "waiting">): number =>
  unsent + waiting;

export const isFinished = (counts: Pick<RowCounts, "unsent" | "waiting">): boolean =>
  rowsLeft(counts) === 0;

/** Returns whether nothing is recorded of any row but that it is there. */
export const isUntouched = (record: RowCounts): boolean =>
  rowsLeft(record) + record.invalid + record.repeated === record.rows;

/** Returns whether a run would rely on what is recorded: rows, or the id of a store. */
export const hasRecords = (record: ImportRecord): boolean =>
  record.store !== null || !isUntouched(record);

/** Changes what is recorded of a row: state, id, code, error; of an import, a number, and the state that it had before. */
export const updateRow = `UPDATE rows SET state = ?, id = ?, code = ?, error = ?
  WHERE import = ? AND number = ? AND state = ?`;

const noRows: RowCounts = {
  rows: 0,
  added: 0,
  rejected: 0,
  unknown: 0,
  known: 0,
  changed: 0,
  waiting: 0,
  unsent: 0,
  invalid: 0,
  repeated: 0,
};

/** How many rows have an outcome. */
interface OutcomeCount {
  readonly outcome: Outcome;
  readonly count: number;
}

/** Returns the imports for which the rest of a query is true, in its order. */
function importsWhere(
  database: ImportDatabase,
  rest: string,
  ...values: readonly SQLInputValue[]
): readonly ImportRecord[] {
  const query = `SELECT id, input, name, address, host, store, started, active, boot, sentAt FROM imports
    WHERE isReady AND ${rest}`;
  const count = "SELECT outcome, count(*) AS count FROM outcomes WHERE import = ? GROUP BY outcome";
  return database.all<Omit<ImportRecord, keyof RowCounts>>(query, ...values).map((each) => {
    const counts = { ...noRows };
    for (const { outcome, count: n } of database.all<OutcomeCount>(count, each.id)) {
      counts[outcome] = n;
      counts.rows += n;
    }
    return Object.assign(each, counts);
  });
}

/** Returns all imports, or those with these ids, the newest first. */
export const listImports = (
  database: ImportDatabase,
  ids?: readonly number[],
): readonly ImportRecord[] =>
  importsWhere(database, `${ids ? `id IN (${ids.join()})` : "true"} ORDER BY id DESC`);

/** Returns the import with this id. Throws a not_found Failure if it does not exist. */
export function readImport(database: ImportDatabase, id: number): ImportRecord {
  const [found] = importsWhere(database, "id = ?", id);
  if (found !== undefined) return found;
  const hints = ["See `pets imports`."];
  throw new Failure("not_found", `no import has the id ${id}`, { hints, retryable: false });
}

/** Returns the imports of an input at its base URL, the last active first: only the newest one for each store. */
export function importsOfInput(database: ImportDatabase, input: string): readonly ImportRecord[] {
  const last = "SELECT max(id) FROM imports WHERE input = ? AND isReady GROUP BY store";
  return importsWhere(database, `id IN (${last}) ORDER BY active DESC, id DESC`, input);
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
  { input, name, address, host, started }: NewImport,
): Promise<number> {
  const begin = `INSERT INTO imports (input, name, address, host, started, active)
    VALUES (?, ?, ?, ?, ?, ?) RETURNING id`;
  const values = [input, name, address, host, started, started];
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

/** Readies an import for a run at a store; returns false if another import has started since `starts` were counted. */
export function startImport(
  database: ImportDatabase,
  id: number,
  { store, starts }: { readonly store?: string | undefined; readonly starts?: number },
): Promise<boolean> {
  return database.transact(() => {
    if (starts !== undefined && countStarts(database) !== starts) return false;
    database.run("UPDATE starts SET count = count + 1");
    const update = "UPDATE imports SET store = coalesce(store, ?), isReady = 1 WHERE id = ?";
    database.change(update, store ?? null, id);
    return true;
  });
}

/** Returns the imports that a process is beginning or removing, or was. */
export const unreadyImports = (database: ImportDatabase) =>
  database.all<Pick<ImportRecord, "id" | "input">>(
    "SELECT id, input FROM imports WHERE NOT isReady",
  );

/** Removes imports with their rows: as soon as that begins, they don't count. Rejects as ImportDatabase does. */
export async function removeImports(database: ImportDatabase, ids: readonly number[]) {
  if (ids.length === 0) return;
  const these = `(${ids.join()})`;
  await database.transact(() =>
    database.run(`UPDATE imports SET isReady = 0 WHERE id IN ${these}`),
  );
  for (const [table, where] of [
    ["covers", `import IN ${these} OR byImport IN ${these}`],
    ["rows", `import IN ${these}`],
  ] as const) {
    const remove = `DELETE FROM ${table} WHERE (import, number) IN
      (SELECT import, number FROM ${table} WHERE ${where} LIMIT ${stepRows})`;
    while ((await database.transact(() => database.run(remove), false)) > 0) await database.pause();
  }
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
  readonly outcome: Outcome;
  /** Of the animal, in digits; of a row that is known or changed, of the earlier one. */
  readonly id: string | null;
  readonly code: string | null;
  readonly error: string | null;
  /** The import that has the row which stands for it. */
  readonly byImport: number | null;
}

/** Returns at most `count` rows of an import from the number `first` on, in their order. */
export function recordedRows(
  database: ImportDatabase,
  { id }: Pick<ImportRecord, "id">,
  first: number,
  count: number,
): readonly RecordedRow[] {
  const isCovered = "outcome = 'unknown' AND byImport IS NOT NULL";
  const query = `SELECT number, line, state, outcome, CAST(id AS TEXT) AS id, byImport,
    iif(${isCovered}, 'outcome_unknown', code) AS code,
    iif(${isCovered}, 'import ' || byImport || ' may have added it', error) AS error FROM outcomes
    WHERE import = ? AND number >= ? ORDER BY number LIMIT ?`;
  return database.all(query, id, first, count);
}

/** A row that may have been added, and the import that sent it, or the row that stands for it. */
export interface UnknownRow {
  readonly number: number;
  readonly line: number;
  readonly sentBy: number;
}

/** Returns the rows of an import that may have been added, in their order. */
export const unknownRows = (
  database: ImportDatabase,
  { id }: Pick<ImportRecord, "id">,
): readonly UnknownRow[] =>
  database.all(
    `SELECT number, line, coalesce(byImport, import) AS sentBy FROM outcomes
     WHERE import = ? AND outcome = 'unknown' ORDER BY number`,
    id,
  );
