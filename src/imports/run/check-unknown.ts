import type { PetsApi } from "../../client/types.ts";
import { petStatuses } from "../../core/enums.ts";
import { Failure } from "../../core/errors.ts";
import type { Pet } from "../../core/pet.ts";
import type { PetStatus } from "../../core/pet-rules.ts";
import { type ImportRecord, listImports } from "../database/import-records.ts";
import type { ImportDatabase } from "../database/open.ts";
import { codesOf } from "../database/schema.ts";
import { printOf, statusCode } from "../database/staged-input.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";
import type { ImportRun } from "./import-run.ts";
import { settle } from "./settle.ts";

/** What checking rows in doubt needs. */
export interface CheckOptions {
  readonly api: Pick<PetsApi, "list">;
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly database: ImportDatabase;
  readonly run: ImportRun;
  readonly report: (end: RowOutcome) => Promise<void> | void;
}

/** The error of a row that the lists neither contain nor rule out. */
const stillUnknown = new Failure(
  "outcome_unknown",
  "the lists do not show whether the animal was added",
  { retryable: false },
);

/** A row in doubt, and its state. */
interface DoubtfulRow {
  readonly row: Row;
  readonly state: RowState;
}

/**
 * Settles the rows in doubt by the store's lists, and reports those that were added or are still unknown;
 * the others are unsent again. Adds nothing (`help bulk`). Returns how many rows were in doubt.
 */
export async function checkUnknown(options: CheckOptions): Promise<number> {
  const { api, database, run, report } = options;
  const doubtful = await rowsInDoubt(options);
  if (doubtful.length === 0) return 0;
  const rows = doubtful.map(({ row }) => row);
  const states = new Map(doubtful.map(({ row, state }) => [row.index, state]));
  const lists = await readLists(api, rows);
  const ids = sameStore(database, run.record);
  const { found, absent, unknown } = settle(rows, {
    unaccounted: unaccounted(database, lists.pets, ids),
    isWhole: lists.isWhole,
    othersInDoubt: countInDoubt(database, ids, run.record.id),
  });
  const from = ({ index }: Row): RowState => states.get(index) ?? "unknown";
  for (const { row, pet } of found) {
    const end: RowOutcome = { outcome: "added", row, pet };
    await run.recordEnd(end, from(row));
    await report(end);
  }
  await Promise.all(absent.map((row) => run.recordAbsent(row, from(row))));
  for (const row of unknown) await report({ outcome: "unknown", row, failure: stillUnknown });
  if (run.counts.unsent === 0) run.finish();
  return rows.length;
}

const inDoubt = ["sent", "resent", "unknown"] as const satisfies readonly RowState[];

async function rowsInDoubt({ batches, run }: CheckOptions): Promise<readonly DoubtfulRow[]> {
  const found: DoubtfulRow[] = [];
  const { sent, unknown } = run.counts;
  if (sent + unknown === 0) return found;
  for await (const batch of batches) {
    const [first, last] = [batch[0], batch.at(-1)];
    if (first === undefined || last === undefined) continue;
    const recorded = run.recorded(first, last);
    for (const row of batch) {
      const state = recorded.get(row.index)?.state;
      if (inDoubt.some((each) => each === state) && state !== undefined) found.push({ row, state });
    }
  }
  return found;
}

/** Returns the ids of all imports that sent to the store of `own`, itself included, as a list for SQL. */
function sameStore(database: ImportDatabase, own: ImportRecord): string {
  const isSame = ({ store, address }: ImportRecord): boolean =>
    store !== undefined && own.store !== undefined ? store === own.store : address === own.address;
  return listImports(database)
    .filter(isSame)
    .map(({ id }) => id)
    .join(", ");
}

/** Returns the animals that no record accounts for, each once. */
function unaccounted(
  { run, sql }: ImportDatabase,
  pets: readonly Pet[],
  ids: string,
): readonly Pet[] {
  const left = new Map(pets.map((pet) => [pet.id, pet]));
  if (left.size === 0) return [];
  const places = Array.from(left, () => "?").join(", ");
  const query = `SELECT id FROM rows WHERE import IN (${ids}) AND id IN (${places}) AND state = ${codesOf(["added"])}`;
  const found = run(() => {
    const statement = sql.prepare(query);
    statement.setReadBigInts(true);
    return statement.all(...left.keys());
  });
  for (const { id } of found) if (typeof id === "bigint") left.delete(id);
  return [...left.values()];
}

/** Returns a function that counts the rows in doubt of other imports that equal a given row. */
function countInDoubt({ run, sql }: ImportDatabase, ids: string, own: number) {
  const query = `SELECT count(*) AS many FROM prints CROSS JOIN rows USING (import, number)
    WHERE print = ? AND status = ? AND import <> ? AND import IN (${ids}) AND state IN (${codesOf(inDoubt)})`;
  return ({ pet }: Row): number =>
    run(() => Number(sql.prepare(query).get(printOf(pet), statusCode(pet.status), own)?.many));
}

/** The maximum length of a list (API specification, List animals). */
const listLimit = 100;

/** Reads the list of all animals, and if that is incomplete, the lists that may contain more of the rows. */
async function readLists(api: Pick<PetsApi, "list">, rows: readonly Row[]) {
  const all = await api.list({ limit: listLimit });
  const isAllWhole = all.length < listLimit;
  const wanted = rows.some(({ pet }) => pet.status === undefined)
    ? petStatuses
    : petStatuses.filter((status) => rows.some(({ pet }) => pet.status === status));
  const pets: Pet[] = [...all];
  const whole = new Set<PetStatus>();
  for (const status of isAllWhole ? [] : wanted) {
    const list = await api.list({ limit: listLimit, status });
    pets.push(...list);
    if (list.length < listLimit) whole.add(status);
  }
  const isWhole = (status: PetStatus | undefined): boolean =>
    isAllWhole || (status !== undefined && whole.has(status));
  return { pets, isWhole };
}
