import { errorMessage, Failure } from "../../core/errors.ts";
import { formatMoment } from "../../core/format.ts";
import { importsOfInput } from "../../imports/database/import-records.ts";
import { outcomesOf } from "../../imports/report/outcomes.ts";
import { openResults, type ResultsFile } from "../../imports/report/results-file.ts";
import { checkUnknown } from "../../imports/run/check-unknown.ts";
import { lockInputs } from "../../imports/run/input-lock.ts";
import { runRows } from "../../imports/run/run-rows.ts";
import { hasRecords } from "../../imports/run/store-identity.ts";
import type { RowCounts } from "../../imports/types.ts";
import { countAnimals } from "../../output/text/format.ts";
import type { Context } from "../context.ts";
import { openRunDisplay, type RunDisplay } from "./display/run-display.ts";
import { runFailure, startNote, summaryLines, totalsOf } from "./display/summary.ts";
import { dryRun, expectedOutcomes } from "./dry-run.ts";
import { openValidatedInput } from "./input.ts";
import type { FromOptions } from "./options.ts";
import { handleRunSignals } from "./signals.ts";
import {
  type ImportJob,
  type ImportRequest,
  placeOf,
  prepare,
  startImport,
} from "./start-import.ts";

/** Adds the animals of a file (`help bulk`). Throws a Failure unless all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  const results =
    options.results === undefined ? undefined : openResults(options.results, options.from);
  using input = await openValidatedInput(context, options);
  const { failure, refusal } = input;
  if (refusal !== undefined) {
    await warnOnFailure(context, async () =>
      results?.write(input.source, await expectedOutcomes(context, options, input)),
    );
    throw refusal;
  }
  try {
    if (options.dryRun) await dryRun(context, options, input, results);
    else {
      const connection = await context.connection();
      await sendRows({ context, options, input, connection }, results);
    }
    if (failure !== undefined) throw new Failure("partial", failure.message, { retryable: false });
  } catch (error) {
    throw failure === undefined ? error : withInvalidRows(error, failure);
  }
}

/** Returns the Failure of a run with the rows that `--skip-invalid` left out. */
function withInvalidRows(error: unknown, { facts }: Failure): unknown {
  if (!(error instanceof Failure) || error.facts.details || error.facts.earlierRows) return error;
  const { kind, message, code, hints } = error;
  return new Failure(kind, message, { ...facts, ...error.facts, code, hints });
}

async function sendRows(request: ImportRequest, results: ResultsFile | undefined): Promise<void> {
  const { context, input } = request;
  const { database, source } = input;
  const place = placeOf(request);
  // oxlint-disable-next-line no-underscore-dangle -- it is released at the end of this function.
  using _lock = lockInputs(database.folder, [place]);
  const begun = importsOfInput(database, place.input).filter(hasRecords);
  // Only the store can say which of several imports is its own.
  let record = begun.length === 1 ? begun[0] : undefined;
  let job: ImportJob | undefined;
  const writeResults = async (failure?: unknown): Promise<void> => {
    await job?.run.settled();
    const isCompared = failure instanceof Failure && failure.code === "already_added";
    const outcomes = outcomesOf(database, record, "not_sent", isCompared);
    await results?.write(source, outcomes);
  };
  try {
    const prepared = await prepare(request, place);
    ({ record } = prepared);
    job = await startImport(request, place, prepared);
    await runImport(job);
  } catch (failure) {
    await warnOnFailure(context, () => writeResults(failure));
    throw failure;
  }
  await writeResults();
}

/** Writes the results of a run that failed: why it did matters more than why they could not be written. */
async function warnOnFailure(context: Context, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => context.warn(errorMessage(error)));
}

/** Reports what an earlier run did, sends the remaining rows, and prints the summary. */
async function runImport(job: ImportJob): Promise<void> {
  const { context, options, run } = job;
  const { clock, note } = context;
  const { record, abort } = run;
  const isCheck = options.checkUnknown === true;
  const start = startNote(totalsOf(record, record), record.isFinished === 1, options);
  if (start !== undefined && !isCheck) await note(start);
  const startedAt = clock.monotonic();
  const left = leftOf(record, options);
  await showRun(job, left);
  await run.settled();
  const totals = totalsOf(run.counts, record);
  const failure = runFailure(totals, abort.reason);
  const isFinal = failure instanceof Failure && failure.facts.retryable === false;
  const next = isFinal ? undefined : job.next;
  const summary = summaryLines(totals, clock.monotonic() - startedAt, next, isCheck);
  if (left > 0 || isCheck) for (const line of summary) await note(line);
  if (failure !== undefined) throw failure;
}

/** Returns how many rows a run has to finish: send, or report again. */
function leftOf(
  { unsent, sent, unknown }: RowCounts,
  { checkUnknown: isCheck }: FromOptions,
): number {
  const doubtful = sent + unknown;
  return isCheck ? doubtful : doubtful + unsent;
}

/** Runs the remaining rows, and shows them as they end. `run.abort` has the reason if the run stopped. */
async function showRun(job: ImportJob, left: number): Promise<void> {
  const { context, options, input, limiter, run } = job;
  const { abort } = run;
  limiter.shareFairly(() => leftOf(run.counts, options), options.reserve);
  // Installed before the bar is shown, as a signal may arrive at once.
  const signals = handleRunSignals(context, abort);
  const { rows } = input;
  const limits = () => limiter.status();
  const shown = { rows, left, limits, pace: options };
  const display = await openRunDisplay(context, shown, abort.signal);
  const work = async (): Promise<void> => {
    try {
      await finishRows(job, left, display);
    } catch (error) {
      abort.stop(error);
    }
    await display.close(abort.reason === undefined).catch((error: unknown) => abort.stop(error));
  };
  try {
    await Promise.race([work(), signals.abandoned]);
  } finally {
    display.dispose();
    signals.release();
  }
}

/** Why a run waits after a send without a clear outcome. */
const troubleNote = "the service has problems; sending one row at a time until one succeeds";

/** Sends the rows that are left, or looks up the unknown ones. */
async function finishRows(
  job: ImportJob,
  left: number,
  { wait, report }: RunDisplay,
): Promise<void> {
  const { context, options, input, connection, limiter, run } = job;
  const { clock, random } = context;
  const { signal, sendSignal } = run.abort;
  const api = await context.api(connection, { signal, sendSignal, wait });
  const parts = { api, batches: input.source.rows(), run, report };
  if (options.checkUnknown) {
    const { unknown, pending, settledAt } = await checkUnknown({
      ...parts,
      database: input.database,
    });
    if (unknown === 0) await context.note("No row of this input is unknown.");
    const when = formatMoment(settledAt, clock.now());
    if (pending > 0)
      await context.note(
        `The service may still add ${countAnimals(pending)} sent less than a minute ago: check again at ${when}.`,
      );
    return;
  }
  const turns = {
    clock,
    random,
    intervalMs: options.rate,
    wait: (ms: number, isInTrouble: boolean) =>
      isInTrouble
        ? wait({ reason: "retry", what: troubleNote, ms, until: clock.now() + ms })
        : clock.sleep(ms, signal),
    isBackoffAnnounced: () => limiter.backoffMs > 0,
  };
  const { concurrency } = options;
  if (left > 0) await runRows({ ...parts, concurrency, rule: options, turns });
  if (run.abort.reason === undefined) run.finish();
}
