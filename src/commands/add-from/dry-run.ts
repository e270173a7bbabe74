import { Failure } from "../../core/errors.ts";
import { formatCount, plural } from "../../core/format.ts";
import { outcomesOf, type ResultOf, type ResultsFile } from "../../imports/results.ts";
import { findRecorded, placeOf } from "../../imports/run/prepare.ts";
import type { Row } from "../../imports/types.ts";
import { newPetColumns } from "../../output/columns.ts";
import { isTable } from "../../output/formats/index.ts";
import { readKnownLimits } from "../command-limiter.ts";
import type { Context } from "../context.ts";
import { openPrintStream } from "../print.ts";
import { forecastLine } from "./display/forecast.ts";
import { lineColumn } from "./display/rows.ts";
import type { ValidatedInput } from "./input.ts";
import { equalNotes, knownNotes } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** Prints the rows that would be sent, and sends nothing (`help import`). */
export async function dryRun(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
  results?: ResultsFile,
): Promise<void> {
  const { rows, invalid, source, database } = input;
  const recorded = await recordedHere(context, options, input);
  const { own, known } = recorded;
  const count = await printRows(context, input, sentRows(options, input, recorded));
  const notes = [
    ...(known === undefined ? [] : await knownNotes(input, known, options, context.clock.now())),
    ...(await equalNotes(input, count > 0 && !options.onlyNew)),
    dryRunNote(count, rows, invalid),
    ...(count === 0 ? [] : await timeNotes(context, count, options)),
  ];
  for (const line of notes) await context.note(line);
  await results?.write(source, outcomesOf(database, own, "valid", known !== undefined));
}

function dryRunNote(wouldSend: number, rows: number, invalid: number): string {
  const which = wouldSend === rows ? "" : ` of ${formatCount(rows)}`;
  const valid = rows - invalid;
  const some = `${plural(valid, "row")} ${valid === 1 ? "is" : "are"}`;
  return `${invalid === 0 ? "All rows are" : some} valid; ${formatCount(wouldSend)}${which} would be sent (dry run).`;
}

/** Returns how long sending `rows` takes, at the limits known without a request; nothing without an API key. */
async function timeNotes(context: Context, rows: number, options: FromOptions): Promise<string[]> {
  try {
    const limits = await readKnownLimits(context, await context.connectionTarget());
    const refresh = `Run \`${context.commandHere("limits", "--refresh")}\` to get them.`;
    const unknown = `No time estimate: the rate limits are not known yet. ${refresh}`;
    return [forecastLine(rows, limits, options, context.settings.maxWaitMs) ?? unknown];
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Returns what a run would find the rows of an input to be, without asking the store. */
export async function expectedOutcomes(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
): Promise<ResultOf> {
  const { own, known } = await recordedHere(context, options, input);
  return outcomesOf(input.database, own, "valid", known !== undefined);
}

async function recordedHere(
  { settings, settingsWithProfile }: Context,
  options: FromOptions,
  { database, source }: ValidatedInput,
): Promise<ReturnType<typeof findRecorded>> {
  const baseUrl = settings.baseUrl ?? (await settingsWithProfile()).baseUrl;
  if (baseUrl === undefined) return { own: undefined, known: undefined, isRefused: false };
  return findRecorded(database, placeOf(source.hash, baseUrl), options);
}

/** Returns whether a row would be sent, for the rows in their order. */
function sentRows(
  { again, onlyNew, retryUnknown }: FromOptions,
  { database }: ValidatedInput,
  { own, known, isRefused }: Awaited<ReturnType<typeof recordedHere>>,
): (row: Row) => boolean {
  const record = again && own?.isFinished === 1 ? undefined : own;
  const outcomeOf = outcomesOf(database, record, "valid", onlyNew && known !== undefined);
  const isSent = new Set(["valid", ...(retryUnknown ? ["unknown"] : [])]);
  return (row) => !isRefused && isSent.has(outcomeOf(row.index, row).outcome);
}

/** Prints rows as they are read, and returns how many. Rejects with a BrokenPipe if the reader goes away. */
async function printRows(
  context: Context,
  { source }: ValidatedInput,
  isSent: (row: Row) => boolean,
): Promise<number> {
  const { stdout, settings } = context;
  const hasLines = isTable(settings);
  const columns = hasLines ? [lineColumn, ...newPetColumns] : newPetColumns;
  const stream = await openPrintStream(context, columns, false);
  let count = 0;
  for await (const batch of source.rows()) {
    const sent = batch.filter(isSent);
    count += sent.length;
    const shown = sent.map(({ line, pet }) => (hasLines ? Object.assign({ line }, pet) : pet));
    await stdout.write(stream.add(shown));
  }
  await stdout.write(stream.end());
  return count;
}
