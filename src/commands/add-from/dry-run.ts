import type { ServiceTarget } from "../../config/connection.ts";
import { errorMessage, Failure } from "../../core/errors.ts";
import { formatCount, plural } from "../../core/format.ts";
import { type ImportRecord, isFinished } from "../../imports/database/import-records.ts";
import { outcomesOf } from "../../imports/results.ts";
import { findRunning } from "../../imports/run/locks.ts";
import { findRecorded } from "../../imports/run/prepare.ts";
import type { Row } from "../../imports/types.ts";
import { newPetColumns } from "../../output/columns.ts";
import { isTable } from "../../output/formats/index.ts";
import { lastCommandKeyLog } from "../../rate-limiter/log/files/command-key.ts";
import { limiterFolders, logName } from "../../rate-limiter/log/files/segment-paths.ts";
import { readStatus } from "../../rate-limiter/read-status.ts";
import { timestampOf } from "../../rate-limiter/rules/records.ts";
import type { Context } from "../context.ts";
import { openPrintStream } from "../print.ts";
import { forecastLine } from "./display/forecast.ts";
import { lineColumn } from "./display/rows.ts";
import { baseUrlHere, handleSignals, type ImportJob, placeAt } from "./job.ts";
import { equalNotes, knownNotes, repeatedNotes } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** Throws why nothing of a file may be sent. */
export async function refuse(job: ImportJob): Promise<void> {
  const { context, results, refusal } = job;
  await (results && findHere(job))?.catch((error: unknown) => context.warn(errorMessage(error)));
  throw refusal;
}

/** Prints the rows that would be sent, and sends nothing (`help import`). */
export async function dryRun(job: ImportJob): Promise<void> {
  const { context, options, failure, abort } = job;
  handleSignals(job);
  const recorded = await findHere(job);
  const { known, own } = recorded;
  const stopped = new Promise<never>((_resolve, reject) => {
    abort.signal.addEventListener("abort", () => reject(abort.reason?.error));
  });
  // A reader that takes nothing must not keep the run from being stopped.
  const count = await Promise.race([printRows(job, sentRows(job, recorded)), stopped]);
  const notes = [
    ...(await repeatedNotes(job)),
    ...(known === undefined ? [] : await knownNotes(job, known)),
    ...(await equalNotes(job, count > 0 && !options.onlyNew)),
    ...(own === undefined || options.again ? [] : sentNotes(own)),
    dryRunNote(count, job),
    ...(count === 0 ? [] : await timeNotes(context, count, options)),
  ];
  for (const line of notes) await context.note(line);
  if (failure !== undefined) throw new Failure("partial", failure.message, { retryable: true });
}

/** Returns how many rows an earlier run of the same input sent. */
function sentNotes({ added, rejected, unknown }: ImportRecord): readonly string[] {
  const sent = added + rejected + unknown;
  return sent === 0
    ? []
    : [`${plural(sent, "row")} ${sent === 1 ? "was" : "were"} sent by an earlier run.`];
}

function dryRunNote(wouldSend: number, { rows, invalid }: ImportJob): string {
  const which = wouldSend === rows ? "" : ` of ${formatCount(rows)}`;
  const valid = rows - invalid;
  const some = `${plural(valid, "row")} ${valid === 1 ? "is" : "are"}`;
  return `${invalid === 0 ? "All rows are" : some} valid; ${formatCount(wouldSend)}${which} would be sent (dry run).`;
}

/** Returns how long sending `rows` takes, at the limits known without a request; nothing without an API key. */
async function timeNotes(context: Context, rows: number, options: FromOptions): Promise<string[]> {
  try {
    const limits = readKnownLimits(context, await context.service.target());
    const refresh = `Run \`${context.commandHere("limits", "--refresh")}\` to get them.`;
    const unknown = `No time estimate: the rate limits are not known yet. ${refresh}`;
    return [forecastLine(rows, limits, options, context.settings.maxWaitMs) ?? unknown];
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Returns the limits that earlier commands have recorded of `target`, without running its key command. */
function readKnownLimits({ clock, folders, machine }: Context, { baseUrl, key }: ServiceTarget) {
  const nameIn = (folder: string) =>
    "value" in key
      ? logName(baseUrl.origin, key.value)
      : lastCommandKeyLog(folder, baseUrl.origin, key);
  return readStatus(limiterFolders(folders), nameIn, timestampOf(machine, clock), machine);
}

type Recorded = ReturnType<typeof findRecorded>;

/** Finds what is recorded of the file at this address, or at the store that was asked, and of its rows in others. */
export async function findHere(job: ImportJob, storeId?: string): Promise<Recorded> {
  const { context, options, database } = job;
  const baseUrl = await baseUrlHere(context);
  if (baseUrl === undefined) return { own: undefined, isCompared: false, isRefused: false };
  const place = placeAt(job, baseUrl);
  findRunning(database, place.input);
  const recorded = findRecorded(database, place, options, storeId);
  job.outcomes = outcomesOf(database, recorded.own, "valid", planOf(job, recorded));
  return recorded;
}

const planOf = ({ options }: ImportJob, { isCompared }: Recorded) =>
  isCompared ? "compared" : options.again ? "again" : undefined;

/** Returns whether a row would be sent, for the rows in their order. */
export function sentRows(job: ImportJob, recorded: Recorded) {
  const { again, retryUnknown } = job.options;
  const { own, isRefused } = recorded;
  const record = again && own && isFinished(own) ? undefined : own;
  const outcomeOf = outcomesOf(job.database, record, "valid", planOf(job, recorded));
  const isSent = new Set(["valid", ...(retryUnknown ? ["unknown"] : [])]);
  return (row: Row): boolean => !isRefused && isSent.has(outcomeOf(row.index, row).outcome);
}

/** Prints rows as they are read, and returns how many. Rejects with a BrokenPipe if the reader goes away. */
async function printRows({ context, source }: ImportJob, isSent: (row: Row) => boolean) {
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
