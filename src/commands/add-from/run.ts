import path from "node:path";
import type { Journal } from "../../bulk/journal/journal.ts";
import { journalName, openJournal } from "../../bulk/journal/open.ts";
import type { JournalRef } from "../../bulk/journal/read.ts";
import type { RowCounts } from "../../bulk/journal/row-states.ts";
import { RunAbort } from "../../bulk/run/abort.ts";
import { type RunParts, runRows } from "../../bulk/run/run.ts";
import type { RunTotals } from "../../bulk/types.ts";
import type { RateLimits } from "../../client/types.ts";
import type { ServiceConnection } from "../../config/types.ts";
import { Failure } from "../../core/errors.ts";
import { limiterId } from "../../rate-limiter/log/segment-paths.ts";
import type { Context } from "../context.ts";
import { type BulkScreen, openRunDisplay, waitOnDisplay } from "./display/run-display.ts";
import { startNotes } from "./display/start-notes.ts";
import {
  type OriginalCommand,
  partialFailure,
  stoppedFailure,
  summaryLines,
} from "./display/summary.ts";
import { openValidatedInput, printRows, type ValidatedInput } from "./dry-run.ts";
import type { FromOptions } from "./options.ts";
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
  readonly connection: ServiceConnection;
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

/** How the rows ended, by what the journal knows now and what it knew before the run. */
function runTotals(now: RowCounts, before: RowCounts): RunTotals {
  const { unsent, open, added, rejected, unknown } = now;
  return {
    rows: unsent + open + added + rejected + unknown,
    added: added - before.added,
    rejected,
    // One that was begun and of which no end is recorded may have been added.
    unknown: unknown + open,
    notSent: unsent,
    earlier: before.added,
  };
}

/**
 * What a run ends with (contract.md, Bulk, Exit): what stopped it, else a `partial` Failure where any
 * row was not added, else nothing. A fault of this program comes out as it is.
 */
function runFailure(tally: RunTotals, reason: { readonly error: unknown } | undefined): unknown {
  if (reason === undefined) return partialFailure(tally);
  return reason.error instanceof Failure ? stoppedFailure(reason.error, tally) : reason.error;
}

/** Whether the command that ended so, given again, goes on where it ended. */
function isResumable(failure: unknown): boolean {
  return !(failure instanceof Failure) || failure.facts.retryable !== false;
}

/** Where the journal of an input is, for whoever sends it to `baseUrl`. */
export function journalRef({ folders }: Context, input: ValidatedInput, baseUrl: URL): JournalRef {
  const folder = path.join(folders.state, "bulk");
  return { folder, name: journalName(input.content, baseUrl), rows: input.count };
}
