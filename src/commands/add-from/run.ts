import type { Journal } from "../../imports/journal/journal.ts";
import { RunAbort } from "../../imports/run/abort.ts";
import { runRows } from "../../imports/run/run.ts";
import { StoreGuard } from "../../imports/run/store-guard.ts";
import type { RunParts } from "../../imports/run/types.ts";
import type { RateLimits } from "../../client/types.ts";
import type { ServiceConnection } from "../../config/types.ts";
import type { LimiterStatus } from "../../rate-limiter/rules/status.ts";
import type { Context } from "../context.ts";
import { checkUnknown } from "./check-unknown.ts";
import { openRunDisplay, type RunDisplay, waitOnDisplay } from "./display/run-display.ts";
import { startNotes } from "./display/start-notes.ts";
import { type OriginalCommand, summaryLines } from "./display/summary.ts";
import { dryRun } from "./dry-run.ts";
import { openValidatedInput, type ValidatedInput } from "./input.ts";
import type { FromOptions } from "./options.ts";
import { prepareRun } from "./prepare.ts";
import { handleRunSignals } from "./signals.ts";
import { invalidFailure, isResumable, runFailure, runTotals } from "./totals.ts";

/** Adds the animals of a file (contract.md, Bulk). Throws a Failure unless all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  const input = await openValidatedInput(context, options);
  try {
    if (options.dryRun) await dryRun(context, options, input);
    else await sendRows(context, options, input);
    if (input.invalid > 0) throw invalidFailure(input);
  } finally {
    input.close();
  }
}

async function sendRows(context: Context, options: FromOptions, input: ValidatedInput) {
  const connection = await context.connection();
  let limits: RateLimits = {};
  const onLimits = (seen: RateLimits): void => void (limits = seen);
  const { journal, openOther, notes } = await prepareRun(context, options, {
    input,
    connection,
    command: originalCommand(context, input),
    limits: () => limits,
    askStore: () => askStore(context, connection, onLimits),
  });
  input.fingerprints.release();
  try {
    for (const line of notes) await context.note(line);
    await execute(context, options, { input, connection, journal, openOther, onLimits });
  } finally {
    journal.close();
  }
}

/** Sends one request, and returns the id of the store that answers; undefined if it sends none. */
async function askStore(
  context: Context,
  connection: ServiceConnection,
  onLimits: (limits: RateLimits) => void,
): Promise<string | undefined> {
  let storeId: string | undefined;
  const api = await context.api(connection, {
    onEvent(event) {
      if (event.type !== "reply") return;
      ({ storeId } = event);
      onLimits(event.limits);
    },
  });
  await api.list({ limit: 1 });
  return storeId;
}

/** What a run needs. */
interface RunContext {
  readonly input: ValidatedInput;
  readonly connection: ServiceConnection;
  readonly journal: Journal;
  readonly openOther: (storeId: string) => Journal;
  readonly onLimits: (limits: RateLimits) => void;
}

/** Reports what an earlier run did, sends the remaining rows, and prints the summary. */
async function execute(context: Context, options: FromOptions, run: RunContext): Promise<void> {
  const { journal, input } = run;
  const { isFinished, keyChanged } = journal;
  const before = journal.counts;
  const notes = options.checkUnknown
    ? []
    : startNotes({
        totals: runTotals(before, before),
        isFinished,
        isOtherKey: keyChanged,
        retryUnknown: options.retryUnknown,
      });
  for (const line of notes) await context.note(line);
  const abort = new RunAbort();
  const start = context.clock.monotonic();
  const doubtful = before.sent + before.unknown;
  const left = options.checkUnknown ? doubtful : doubtful + before.unsent;
  await executeWithDisplay(context, options, { ...run, abort, left });
  const totals = runTotals(journal.counts, before);
  const failure = runFailure(totals, abort.reason);
  const command = isResumable(failure) ? originalCommand(context, input) : undefined;
  if (left > 0 || options.checkUnknown)
    for (const line of summaryLines(totals, context.clock.monotonic() - start, command))
      await context.note(line);
  if (failure !== undefined) throw failure;
}

function originalCommand(
  { argv, program }: Context,
  { isReadOnce }: ValidatedInput,
): OriginalCommand {
  return { argv, isReadOnce, platform: program.platform };
}

/** A run that has begun. */
interface StartedRun extends RunContext {
  readonly abort: RunAbort;
  /** How many rows it has to finish: send, or report again. */
  readonly left: number;
}

/** Runs the remaining rows, and shows them as they end. `run.abort` has the reason if the run stopped. */
async function executeWithDisplay(
  context: Context,
  options: FromOptions,
  run: StartedRun,
): Promise<void> {
  const { input, connection, journal, abort, left } = run;
  const limiter = await context.limiter(connection);
  let ended = 0;
  limiter.shareFairly(() => left - ended);
  const { count: rows, widths } = input;
  const limits = () => limiter.status();
  // Installed before the bar is shown, as a signal may arrive at once.
  const signals = handleRunSignals(context, abort);
  const shown = await openRunDisplay(context, { rows, left, widths, limits });
  const display: RunDisplay = {
    ...shown,
    report(end) {
      ended += 1;
      return shown.report(end);
    },
  };
  const work = async (): Promise<void> => {
    if (options.checkUnknown) await check(context, run, display);
    else {
      if (left > 0) await sendRemaining(context, options, run, display, limits);
      if (abort.reason === undefined) finish(journal, abort);
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
  { input, connection, journal, abort }: StartedRun,
  display: RunDisplay,
): Promise<void> {
  try {
    const { signal } = abort;
    const wait = waitOnDisplay(display, context, signal);
    const api = await context.api(connection, { signal, wait });
    const { baseUrl } = connection;
    await checkUnknown(context, { api, input, journal, baseUrl, display });
  } catch (error) {
    abort.stop(error);
  }
}

/** Why a run waits after a send without a clear outcome. */
const troubleNote = "the service has problems; sending one row at a time until one succeeds";

async function sendRemaining(
  context: Context,
  { concurrency, retryUnknown }: FromOptions,
  { input, connection, journal, openOther, onLimits, abort }: StartedRun,
  display: RunDisplay,
  limits: () => LimiterStatus,
): Promise<void> {
  const wait = waitOnDisplay(display, context, abort.signal);
  const api = await context.api(connection, {
    signal: abort.signal,
    sendSignal: abort.sendSignal,
    wait,
    onEvent: (event) => (event.type === "reply" ? onLimits(event.limits) : undefined),
  });
  const stores = new StoreGuard({ journal, openOther, abort, host: connection.baseUrl.host });
  const run: RunParts = {
    batches: input.rows(),
    journal,
    stores,
    add: (pet, observer) => api.add(pet, observer),
    concurrency,
    retryUnknown,
    turns: {
      clock: context.clock,
      random: context.random,
      wait: (ms) =>
        wait({ reason: "retry", what: troubleNote, ms, until: context.clock.now() + ms }),
      isBackoffAnnounced: () => limits().condition?.reason === "blocked",
    },
    report: (end) => display.report(end),
  };
  await runRows(run, abort);
  stores.close();
}

function finish(journal: Journal, abort: RunAbort): void {
  try {
    journal.finish();
  } catch (error) {
    abort.stop(error);
  }
}
