import path from "node:path";
import { usageFailure } from "../../core/errors.ts";
import { formatAge, formatCount, isoTime, plural } from "../../core/format.ts";
import { ImportDatabase } from "../../imports/database/database.ts";
import {
  type ImportRecord,
  isFinished,
  listImports,
  readImport,
  removeImports,
  recordedRows,
  rowsLeft,
} from "../../imports/database/import-records.ts";
import { outcomeName } from "../../imports/results.ts";
import { findRunning, lockInputs } from "../../imports/run/locks.ts";
import type { Column } from "../../output/columns.ts";
import { isJson, isTable } from "../../output/formats/index.ts";
import { isInteractive } from "../ask.ts";
import type { Context } from "../context.ts";
import { openPrintStream } from "../print.ts";

/** Lists the imports of this user, newest first; in a table on a small terminal only what tells them apart. */
export async function listAll(context: Context): Promise<void> {
  using database = new ImportDatabase(context.folders.state, "read");
  findRunning(database);
  const records = listImports(database);
  const oneStore = new Map(records.map(({ host, store }) => [host, store]));
  const others = records.filter(({ host, store }) => store !== oneStore.get(host));
  const sharedHosts = new Set(others.map(({ host }) => host));
  const shown = records.map((each) => shownImport(each, context, sharedHosts.has(each.host)));
  const isSmall = context.settings.fields === undefined && widthOf(context) < smallColumns;
  const columns = isSmall ? context.columns.filter(isShownSmall) : context.columns;
  await context.print(shown, { columns, none: "No imports." });
}

const storeIdLength = 6;

/**
 * Returns what a list shows: in a table the age, on a narrow terminal only the file and the port, and the store's id
 * where a host had several stores: each start of `pets serve --memory` is another one.
 */
function shownImport(record: ImportRecord, context: Context, isSharedHost: boolean): object {
  const { id, name, started, rows, added, rejected, invalid, unknown } = record;
  const isNarrow = widthOf(context) < narrowColumns;
  const input = isNarrow ? path.basename(name) : name;
  const local = isNarrow ? /^(?:127\.0\.0\.1|localhost|\[::1\])(?=:)/ : "";
  const store = isSharedHost ? ` (${record.store?.slice(0, storeIdLength) ?? "no id"})` : "";
  const isForPeople = isTable(context.settings);
  const host = record.host.replace(local, "") + (isForPeople ? store : "");
  const when = isForPeople ? formatAge(context.clock.now() - started) : isoTime(started);
  const left = rowsLeft(record);
  return { id, input, host, when, rows, added, rejected, invalid, unknown, left };
}

const widthOf = ({ settings, stdout }: Context): number =>
  isTable(settings) ? (stdout.columns ?? Infinity) : Infinity;

const narrowColumns = 100;
const smallColumns = 66;
const isShownSmall = ({ field }: Column): boolean =>
  ["id", "input", "when", "left"].includes(field);

const batchSize = 1000;

/** Shows the rows of an import in their order, in constant memory. */
export async function showOne(context: Context, id: number): Promise<void> {
  const { folders, stdout, settings } = context;
  using database = new ImportDatabase(folders.state, "read");
  findRunning(database);
  const record = readImport(database, id);
  const stream = await openPrintStream(context, context.columns, false);
  for (let first = 0; first < record.rows; first += batchSize) {
    const rows = recordedRows(database, record, first, batchSize).map((row) => {
      const { line, code, error } = row;
      const why = error !== null && isJson(settings) ? { code, message: error } : error;
      const added = row.id === null ? undefined : BigInt(row.id);
      return { line, outcome: outcomeName(row.outcome), id: added, error: why ?? undefined };
    });
    await stdout.write(stream.add(rows));
  }
  await stdout.write(stream.end());
}

interface ForgetOptions {
  readonly finished?: boolean;
  /** In ms. */
  readonly olderThan?: number;
  readonly force?: boolean;
}

/** Removes what is recorded of imports, after saying what that means for those that have unfinished rows. */
export async function forget(context: Context, id: number | undefined, options: ForgetOptions) {
  const { folders, note, clock, signal } = context;
  const sleep = (ms: number) => clock.sleep(ms, signal);
  using database = new ImportDatabase(folders.state, "write", { sleep, note });
  findRunning(database);
  const found = chosen(database, context, id, options);
  if (found.length === 0) return note("No import is forgotten.");
  // oxlint-disable-next-line no-underscore-dangle -- they are released at the end of this function.
  using _locks = lockInputs(folders.state, found);
  // A run of one may have ended meanwhile.
  const records = found.map((each) => readImport(database, each.id));
  if (!options.force && !(await isConfirmed(context, records))) return note("Nothing was removed.");
  await removeImports(
    database,
    records.map((each) => each.id),
  );
  const added = records.reduce((sum, each) => sum + each.added, 0);
  const [whose, where] = records.length === 1 ? ["its", "the store"] : ["their", "their stores"];
  const stay = `; ${whose} ${plural(added, "animal")} ${added === 1 ? "stays" : "stay"} in ${where}, and would be added again`;
  await note(`Forgot ${plural(records.length, "import")}${added > 0 ? stay : ""}.`);
}

/** Returns the imports that the `id` or the options name. Throws a usage Failure unless they name some in one way. */
function chosen(
  database: ImportDatabase,
  { clock }: Context,
  id: number | undefined,
  { finished, olderThan }: ForgetOptions,
): readonly ImportRecord[] {
  const given = [id, finished || undefined, olderThan].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw usageFailure("give the id of an import, `--finished` or `--older-than`");
  if (id !== undefined) return [readImport(database, id)];
  return listImports(database).filter((each) =>
    olderThan === undefined ? isFinished(each) : each.active <= clock.now() - olderThan,
  );
}

/** Says what is lost, and asks; without a terminal, throws a usage Failure. */
async function isConfirmed(context: Context, records: readonly ImportRecord[]): Promise<boolean> {
  const risks = records.flatMap(riskOf);
  for (const line of risks) await context.note(line);
  if (risks.length === 0) return true;
  if (!isInteractive(context))
    throw usageFailure(
      "nothing was forgotten: not all rows are done",
      "To forget them all the same, use `--force`.",
    );
  const { stdin, signal } = context;
  const answer = await stdin.ask("Forget them? [y/N] ", { signal });
  return ["y", "yes"].includes(answer.trim().toLowerCase());
}

function riskOf(record: ImportRecord): readonly string[] {
  const { id, name, unknown } = record;
  const which = `import ${id} (${name})`;
  const count = rowsLeft(record);
  const maybeAdded = `${which} has ${plural(unknown, "row")} that may or may not have been added: \`pets imports check\` can no longer look them up.`;
  const left = `${which} has ${formatCount(count)} of its rows left: the same file would be sent from its start, and add the others twice.`;
  return [...(unknown > 0 ? [maybeAdded] : []), ...(count > 0 ? [left] : [])];
}
