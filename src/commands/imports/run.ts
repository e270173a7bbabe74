import { usageFailure } from "../../core/errors.ts";
import { formatCount, formatDateTime, plural } from "../../core/format.ts";
import { ImportDatabase } from "../../imports/database/database.ts";
import {
  forgetImport,
  type ImportRecord,
  listImports,
  readImport,
} from "../../imports/database/import-records.ts";
import { type ImportRow, importRows, widestValues } from "../../imports/database/rows.ts";
import { outcomeOf } from "../../imports/report/outcomes.ts";
import { isRunning } from "../../imports/run/input-lock.ts";
import { isColored } from "../../output/color.ts";
import { importColumns, importRowColumns } from "../../output/columns.ts";
import { isJson, isTable, outputFormats } from "../../output/formats/index.ts";
import { shownColumns } from "../../output/records.ts";
import { isoTime } from "../../output/text/format.ts";
import { askUntilValid, isInteractive } from "../ask.ts";
import type { Context } from "../context.ts";
import { openPrinter } from "../print.ts";

/** Lists the imports of this user, newest first. */
export async function listAll(context: Context): Promise<void> {
  const printer = await openPrinter(context, importColumns);
  const records = withRecord(context, "read", listImports).map((each) => shown(context, each));
  await printer.print(records, { single: false });
  if (records.length === 0 && isTable(context.settings)) await context.note("No imports.");
}

/** Returns what a list shows of an import. */
function shown({ settings }: Context, record: ImportRecord): object {
  const { name: input, started, sent, unknown, unsent: left } = record;
  const when = isTable(settings) ? formatDateTime(started) : isoTime(started);
  return { ...record, input, when, unknown: unknown + sent, left };
}

/** Shows the rows of an import in their order, in constant memory. */
export async function showOne(context: Context, id: number): Promise<void> {
  const { settings, stdout, env, folders } = context;
  const printer = await openPrinter(context, importRowColumns);
  const database = new ImportDatabase(folders.state, "read");
  try {
    const record = readImport(database, id);
    const writer = await outputFormats[settings.format].load();
    const widths = new Map([
      ["line", String(record.rows).length + 2],
      ["outcome", "rejected".length],
      ...Object.entries(widestValues(database, id)),
    ]);
    const columns = shownColumns({
      columns: importRowColumns,
      ...(printer.fields && { fields: printer.fields }),
    });
    const stream = await writer.open({
      columns,
      widths: columns.map(({ field }) => widths.get(field) ?? 0),
      single: false,
      live: false,
      terminal: stdout.isTTY,
      color: isColored(env, stdout.isTTY, settings.color),
      ...(stdout.columns !== undefined && { width: stdout.columns }),
    });
    for (const batch of importRows(database, record))
      await stdout.write(stream.add(batch.map((row) => shownRow(context, row))));
    await stdout.write(stream.end());
  } finally {
    database.close();
  }
}

/** Returns what is shown of a row: its outcome in the words of an import. */
function shownRow({ settings }: Context, { line, state, id, code, error }: ImportRow): object {
  const why = error !== null && isJson(settings) ? { code, message: error } : error;
  return {
    line,
    outcome: outcomeOf(state),
    id: id === null ? undefined : BigInt(id),
    error: why ?? undefined,
  };
}

/** Which imports are forgotten. */
export interface ForgetOptions {
  readonly id?: number;
  readonly finished: boolean;
  /** In ms. */
  readonly olderThan?: number;
  readonly force: boolean;
}

/** Removes what is recorded of imports, after saying what that means for those that have unfinished rows. */
export async function forget(context: Context, options: ForgetOptions): Promise<void> {
  const { id, finished, olderThan, force } = options;
  const given = [id, finished || undefined, olderThan].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw usageFailure("give the id of an import, --finished, or --older-than");
  const records = withRecord(context, "read", (database) => chosen(database, context, options));
  if (records.length === 0) return context.note("No import is forgotten.");
  const { state } = context.folders;
  const running = records.find((each) => isRunning(state, each));
  if (running !== undefined)
    throw usageFailure(`import ${running.id} (${running.name}) is running now`);
  if (!force && !(await isConfirmed(context, records))) return context.note("Nothing was removed.");
  withRecord(context, "write", (database) => {
    for (const each of records) forgetImport(database, each);
    giveBack(database);
  });
  await context.note(`Forgot ${plural(records.length, "import")}.`);
}

/** Gives free space back to the disk, if no import is running. */
function giveBack(database: ImportDatabase): void {
  try {
    database.exec("VACUUM");
  } catch {
    // The space is used by later imports.
  }
}

function chosen(
  database: ImportDatabase,
  { clock }: Context,
  { id, olderThan }: ForgetOptions,
): readonly ImportRecord[] {
  if (id !== undefined) return [readImport(database, id)];
  return listImports(database).filter((each) =>
    olderThan === undefined ? each.isFinished === 1 : each.active <= clock.now() - olderThan,
  );
}

/** Says what is lost, and asks; without a terminal, throws a usage Failure. */
async function isConfirmed(context: Context, records: readonly ImportRecord[]): Promise<boolean> {
  const risks = records.flatMap(riskOf);
  if (risks.length === 0) return true;
  for (const line of risks) await context.note(line);
  if (!isInteractive(context))
    throw usageFailure(
      "these imports have rows that are not settled",
      "To forget them, use --force.",
    );
  return askUntilValid(context, "Forget them? [y/N] ", false, (answer) => {
    if (/^(?:y|yes)$/i.test(answer.trim())) return true;
    if (/^(?:n|no)?$/i.test(answer.trim())) return false;
    throw usageFailure("answer y or n");
  });
}

function riskOf({ id, name, sent, unsent, ...counts }: ImportRecord): readonly string[] {
  const unknown = counts.unknown + sent;
  const which = `import ${id} (${name})`;
  return [
    ...(unknown > 0
      ? [
          `${which} has ${plural(unknown, "row")} that may or may not have been added: --check-unknown can no longer look them up.`,
        ]
      : []),
    ...(unsent > 0
      ? [
          `${which} has ${formatCount(unsent)} of its rows left: the same file would be sent from its start, and add the others twice.`,
        ]
      : []),
  ];
}

function withRecord<T>(
  { folders }: Context,
  access: "read" | "write",
  step: (database: ImportDatabase) => T,
): T {
  const database = new ImportDatabase(folders.state, access);
  try {
    return step(database);
  } finally {
    database.close();
  }
}
