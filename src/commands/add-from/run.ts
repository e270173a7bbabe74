import { checkUnknown } from "../../imports/run/check-unknown.ts";
import type { ImportRun } from "../../imports/run/import-run.ts";
import type { ResultsFile } from "../../imports/report/results-file.ts";
import { lockInput } from "../../imports/run/input-lock.ts";
import { runRows } from "../../imports/run/run.ts";
import { limiterId } from "../../rate-limiter/log/files/segment-paths.ts";
import type { LimiterStatus } from "../../rate-limiter/rules/status.ts";
import type { Context } from "../context.ts";
import { openRunDisplay, type RunDisplay, waitOnDisplay } from "./display/run-display.ts";
import { startNotes } from "./display/start-notes.ts";
import { summaryLines } from "./display/summary.ts";
import { dryRun } from "./dry-run.ts";
import { openValidatedInput, type ValidatedInput } from "./input.ts";
import type { FromOptions } from "./options.ts";
import { resultsOf, withResults, writeRun } from "./results.ts";
import { handleRunSignals } from "./signals.ts";
import { leftOf, originalCommand, placeOf, startImport, type StartedRun } from "./start-import.ts";
import { isResumable, runFailure, runTotals, withInvalidRows } from "./totals.ts";

/** Adds the animals of a file (`help bulk`). Throws a Failure unless all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  const results = resultsOf(options);
  const input = await openValidatedInput(context, options, results);
  try {
    if (options.dryRun) await dryRun(context, options, input, results);
    else await sendRows(context, options, input, results);
    if (input.invalidRows !== undefined) throw withInvalidRows(undefined, input.invalidRows);
  } catch (error) {
    throw input.invalidRows === undefined ? error : withInvalidRows(error, input.invalidRows);
  } finally {
    input.close();
  }
}

async function sendRows(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
  results: ResultsFile | undefined,
): Promise<void> {
  const connection = await context.connection();
  const place = placeOf(context, input, connection);
  const lock = lockInput(input.database.folder, place);
  let started: StartedRun | undefined;
  const send = async (): Promise<void> => {
    const run = { input, connection, limits: { seen: {} } };
    started = await startImport(context, options, place, run);
    await execute(context, options, started);
  };
  try {
    await withResults(context, send, async (failure) => {
      await started?.run.settled();
      if (results !== undefined)
        await writeRun(results, input, place.input, { record: started?.run.record, failure });
    });
  } finally {
    lock.release();
  }
}

/** Reports what an earlier run did, sends the remaining rows, and prints the summary. */
async function execute(context: Context, options: FromOptions, started: StartedRun): Promise<void> {
  const { run, input } = started;
  const { record, abort } = run;
  const before = record;
  const notes = options.checkUnknown
    ? []
    : startNotes({
        totals: runTotals(before, before),
        isFinished: record.isFinished === 1,
        isOtherKey:
          record.key !== limiterId(started.connection.baseUrl.origin, started.connection.apiKey),
        ...options,
      });
  for (const line of notes) await context.note(line);
  const start = context.clock.monotonic();
  const left = leftOf(before, options);
  await executeWithDisplay(context, options, started, left);
  await run.settled();
  const totals = runTotals(run.counts, before);
  const failure = runFailure(totals, abort.reason);
  const command = isResumable(failure) ? originalCommand(context, input) : undefined;
  if (left > 0 || options.checkUnknown)
    for (const line of summaryLines(totals, {
      tookMs: context.clock.monotonic() - start,
      command,
      ...options,
    }))
      await context.note(line);
  if (failure !== undefined) throw failure;
}

/** Runs the remaining rows, and shows them as they end. `run.abort` has the reason if the run stopped. */
async function executeWithDisplay(
  context: Context,
  options: FromOptions,
  started: StartedRun,
  left: number,
): Promise<void> {
  const { input, connection, run } = started;
  const { abort } = run;
  const limiter = await context.limiter(connection);
  let ended = 0;
  limiter.shareFairly(() => left - ended, options.reserve);
  const { count: rows, widths } = input;
  const limits = () => limiter.status();
  // Installed before the bar is shown, as a signal may arrive at once.
  const signals = handleRunSignals(context, abort);
  const shown = await openRunDisplay(context, { rows, left, widths, limits, pace: options });
  const display: RunDisplay = {
    ...shown,
    report(end) {
      ended += 1;
      return shown.report(end);
    },
  };
  const work = async (): Promise<void> => {
    if (options.checkUnknown) await check(context, started, display);
    else {
      if (left > 0) await sendRemaining(context, options, started, display, limits);
      if (abort.reason === undefined && (left > 0 || !run.record.isFinished)) finish(run);
    }
    await display.close(abort.reason !== undefined).catch((error: unknown) => abort.stop(error));
  };
  try {
    await Promise.race([work(), signals.abandoned]);
  } finally {
    display.dispose();
    signals.release();
  }
}

/** Looks up the rows in doubt; a failure stops the run. */
async function check(
  context: Context,
  { input, connection, run }: StartedRun,
  display: RunDisplay,
): Promise<void> {
  const { signal } = run.abort;
  try {
    const wait = waitOnDisplay(display, context, signal);
    const api = await context.api(connection, { signal, wait });
    const { database } = input;
    const report: RunDisplay["report"] = (end) => display.report(end);
    const rows = await checkUnknown({ api, batches: input.rows(), database, run, report });
    if (rows === 0) await context.note("No row of this input is unknown.");
  } catch (error) {
    run.abort.stop(error);
  }
}

/** Why a run waits after a send without a clear outcome. */
const troubleNote = "the service has problems; sending one row at a time until one succeeds";

async function sendRemaining(
  context: Context,
  options: FromOptions,
  { input, connection, limits, run }: StartedRun,
  display: RunDisplay,
  status: () => LimiterStatus,
): Promise<void> {
  const { abort } = run;
  const wait = waitOnDisplay(display, context, abort.signal);
  const api = await context.api(connection, {
    signal: abort.signal,
    sendSignal: abort.sendSignal,
    wait,
    onEvent: (event) => void (event.type === "reply" && (limits.seen = event.limits)),
  });
  await runRows({
    batches: input.rows(),
    run,
    add: (pet, observer) => api.add(pet, observer),
    rule: options,
    concurrency: options.concurrency,
    turns: {
      clock: context.clock,
      random: context.random,
      intervalMs: options.rate,
      wait: (ms, isInTrouble) =>
        isInTrouble
          ? wait({ reason: "retry", what: troubleNote, ms, until: context.clock.now() + ms })
          : context.clock.sleep(ms, abort.signal),
      isBackoffAnnounced: () => status().condition?.reason === "blocked",
    },
    report: (end) => display.report(end),
  });
}

function finish(run: ImportRun): void {
  try {
    run.finish();
  } catch (error) {
    run.abort.stop(error);
  }
}
