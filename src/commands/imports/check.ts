import { Failure, usageFailure } from "../../core/errors.ts";
import { formatCount, formatMoment, plural } from "../../core/format.ts";
import type { Pet } from "../../core/pet.ts";
import { isSameStore } from "../../imports/database/compare.ts";
import { ImportDatabase } from "../../imports/database/database.ts";
import {
  type ImportRecord,
  listImports,
  readImport,
  recordedRows,
  unknownRows,
} from "../../imports/database/import-records.ts";
import { outcomeName } from "../../imports/results.ts";
import { tryInputs } from "../../imports/run/locks.ts";
import { importPlace } from "../../imports/run/prepare.ts";
import { settleUnknown } from "../../imports/run/settle.ts";
import { whatWasChecked } from "../add-from/display/summary.ts";
import type { Context } from "../context.ts";
import { type AskedStore, askedStore } from "./asked-store.ts";

/**
 * Settles the rows of an import that may have been added, or those of all imports at this store, by its lists, and prints
 * what became of each. Throws an outcome_unknown Failure if any stays unknown.
 */
export async function check(context: Context, id: number | undefined): Promise<void> {
  const { folders, note, clock, signal } = context;
  const sleep = (ms: number) => clock.sleep(ms, signal);
  using database = new ImportDatabase(folders.state, "write", { sleep, note });
  const wanted = id === undefined ? listImports(database) : [readImport(database, id)];
  const doubtful = wanted.filter(({ unknown }) => unknown > 0);
  if (doubtful.length === 0) return note("No row is unknown.");
  const connection = await context.service.connection();
  const store = await askedStore(context, connection);
  const place = { store: await store.ask(), address: importPlace("", connection.baseUrl).address };
  const here = doubtful.filter((each) => isSameStore(each, place));
  const other = doubtful.find((each) => !here.includes(each));
  const where = other && `import ${other.id} was sent to another store, at ${other.host}`;
  if (where !== undefined && id !== undefined) throw usageFailure(where, otherStoreHint);
  if (where !== undefined) await note(`Not all is checked: ${where}. ${otherStoreHint}`);
  const ids = here.map((each) => each.id);
  const rows = here.flatMap((each) => rowsToCheck(database, each, ids));
  await settleHere(context, database, store, ids);
  const settled = rows.map((row) => checkedRow(database, row));
  await context.print(settled);
  const unknown = settled.filter(({ outcome }) => outcome === "unknown").length;
  const added = settled.filter((row) => row.id !== undefined).length;
  if (rows.length > 0) await note(`${whatWasChecked(rows.length, added, unknown)}.`);
  const left = listImports(
    database,
    doubtful.map((each) => each.id),
  ).reduce((sum, each) => sum + each.unknown, 0);
  const many = left === 1 ? "1 row is" : `${formatCount(left)} rows are`;
  if (left > 0) throw new Failure("outcome_unknown", `${many} still unknown`, { retryable: true });
}

const otherStoreHint = "Name that store with --profile or --base-url.";

/** Returns the unknown rows of one of these imports; one that another of them sent is in the rows of that one. */
const rowsToCheck = (database: ImportDatabase, record: ImportRecord, ids: readonly number[]) =>
  unknownRows(database, record)
    .filter(({ sentBy }) => sentBy === record.id || !ids.includes(sentBy))
    .map(({ number, line }) => ({ record, number, line }));

/** Returns what became of an unknown row. */
function checkedRow(
  database: ImportDatabase,
  { record, number, line }: ReturnType<typeof rowsToCheck>[number],
) {
  const [row] = recordedRows(database, record, number, 1);
  return {
    import: record.id,
    line,
    outcome: outcomeName(row?.outcome ?? "unsent"),
    id: row?.id ? BigInt(row.id) : undefined,
  };
}

/**
 * Settles the unknown rows of imports at the store that responds, and those of others that stand for rows of these, by its
 * lists. Says what the service may still be adding, and which imports other processes have; the inputs in `held` this one
 * has locked. Returns the animals that the first import added, by the numbers of its rows.
 */
export async function settleHere(
  context: Pick<Context, "clock" | "machine" | "note">,
  database: ImportDatabase,
  store: AskedStore,
  ids: readonly number[],
  held: readonly string[] = [],
): Promise<ReadonlyMap<number, Pet>> {
  const { clock, machine, note } = context;
  const others = ids.flatMap((id) => unknownRows(database, { id }).map(({ sentBy }) => sentBy));
  const wanted = [...ids, ...others];
  const found = listImports(database, wanted);
  using locks = tryInputs(
    database.folder,
    found.filter(({ input }) => !held.includes(input)),
  );
  for (const { id, name } of found.filter((each) => locks.busy.includes(each)))
    await note(`Import ${id} (${name}) is running: check its rows later.`);
  const busy = new Set(locks.busy.map(({ input }) => input));
  // What was read before they were locked may be out of date.
  const imports = listImports(database, wanted).filter(({ input }) => !busy.has(input));
  if (imports.length === 0) return new Map();
  const parts = {
    api: store.api,
    database,
    time: { clock, machine },
    storeId: store.id,
  };
  const { added, pending, settledAt } = await settleUnknown(parts, imports);
  const still = `The service may still add ${plural(pending, "animal")} sent less than a minute ago: check again at ${formatMoment(settledAt, clock.now())}.`;
  if (pending > 0) await note(still);
  const own = added.filter(({ row }) => row.import === ids[0]);
  return new Map(own.map(({ row, pet }) => [row.number, pet]));
}
