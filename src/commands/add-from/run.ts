import { openJournal } from "../../bulk/journal/open.ts";
import type { Journal } from "../../bulk/journal/journal.ts";
import { runRows } from "../../bulk/run/run.ts";
import { RunAbort } from "../../bulk/run/abort.ts";
import type { RunParts } from "../../bulk/run/run-types.ts";
import type { RateLimits } from "../../client/types.ts";
import type { Connection } from "../../config/types.ts";
import type { Context } from "../context.ts";
import { limiterId } from "../../rate-limiter/log/name.ts";
import { startNotes } from "./display/start-notes.ts";
import type { BulkScreen } from "./display/run-display.ts";
import { type OriginalCommand, summaryLines } from "./display/summary.ts";
import { printRows } from "./dry-run.ts";
import { isResumable, runFailure, runTotals } from "./add-from-end.ts";
import { type ValidatedInput, openValidatedInput } from "./add-from-input.ts";
import type { FromOptions } from "./options.ts";
import { journalRef } from "./add-from-place.ts";
import { openRunDisplay, waitOnDisplay } from "./display/add-from-screen.ts";
import { handleRunSignals } from "./signals.ts";

/** Adds the animals of a file (contract.md, Bulk). Throws a Failure where not all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  const input = await openValidatedInput(context, options);
  try {
    if (options.dryRun) await printRows(context, options, input);
    else await sendRows(context, options, input);
  } finally {
    input.close();
  }
}

async function sendRows(context: Context, options: FromOptions, input: ValidatedInput) {
  const connection = await context.connection();
  let limits: RateLimits = {};
  const journal = openJournal({
    ...journalRef(context, input, connection.baseUrl),
    key: limiterId(connection.baseUrl.origin, connection.apiKey),
    input: input.name,
    limits: () => limits,
  });
  try {
    await execute(context, options, {
      input,
      connection,
      journal,
      onLimits: (seen) => (limits = seen),
    });
  } finally {
    journal.close();
  }
}

interface Parts {
  readonly input: ValidatedInput;
  readonly connection: Connection;
  readonly journal: Journal;
  readonly onLimits: (limits: RateLimits) => void;
}

async function execute(context: Context, options: FromOptions, parts: Parts): Promise<void> {
  const { journal } = parts;
  const { retryUnknown } = options;
  const { isFinished, keyChanged } = journal;
  const startsAgain = options.again && isFinished;
  if (startsAgain) journal.restart();
  const before = journal.counts;
  const state = { isFinished: isFinished && !startsAgain, isOtherKey: keyChanged, retryUnknown };
  for (const line of startNotes({ tally: runTotals(before, before), ...state }))
    await context.note(line);
  const stop = new RunAbort();
  const start = context.clock.monotonic();
  const left = before.unsent + before.open + before.unknown;
  await executeWithDisplay(context, options, { ...parts, stop, left });
  const tally = runTotals(journal.counts, before);
  const failure = runFailure(tally, stop.reason);
  const command = isResumable(failure) ? givenCommand(context, parts.input) : undefined;
  if (left > 0)
    for (const line of summaryLines(tally, context.clock.monotonic() - start, command))
      await context.note(line);
  if (failure !== undefined) throw failure;
}

function givenCommand({ argv, program }: Context, { isReadOnce }: ValidatedInput): OriginalCommand {
  return { argv, isReadOnce, platform: program.platform };
}

interface ShownParts extends Parts {
  readonly stop: RunAbort;
  readonly left: number;
}

/** Runs the rows that are left, and shows them meanwhile. */
async function executeWithDisplay(
  context: Context,
  options: FromOptions,
  parts: ShownParts,
): Promise<void> {
  const { input, connection, journal, stop, left } = parts;
  const gate = await context.gate(connection);
  const { count: rows, widths } = input;
  const screen = await openRunDisplay(context, { rows, left, widths, view: () => gate.status() });
  const signals = handleRunSignals(context, stop);
  const show = async (): Promise<void> => {
    if (left > 0) await sendRemaining(context, options, { ...parts, screen });
    if (stop.reason === undefined) finish(journal, stop);
    await screen.close(stop.reason !== undefined).catch((error: unknown) => stop.stop(error));
  };
  try {
    await Promise.race([show(), signals.abandoned]);
  } finally {
    screen.dispose();
    signals.release();
  }
}

async function sendRemaining(
  context: Context,
  { concurrency, retryUnknown }: FromOptions,
  {
    input,
    connection,
    journal,
    onLimits,
    stop,
    screen,
  }: ShownParts & { readonly screen: BulkScreen },
): Promise<void> {
  const api = await context.api(connection, {
    signal: stop.signal,
    sendSignal: stop.sendSignal,
    wait: waitOnDisplay(screen, context, stop.signal),
    onEvent: (event) => (event.type === "reply" ? onLimits(event.limits) : undefined),
  });
  const run: RunParts = {
    batches: input.rows(),
    journal,
    add: (pet, watcher) => api.add(pet, watcher),
    concurrency,
    retryUnknown,
    tell: (end) => screen.report(end),
  };
  await runRows(run, stop);
}

function finish(journal: Journal, stop: RunAbort): void {
  try {
    journal.finish();
  } catch (error) {
    stop.stop(error);
  }
}
