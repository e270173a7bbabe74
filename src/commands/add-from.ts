import { openJournal } from "../bulk/journal-open.ts";
import type { Journal } from "../bulk/journal.ts";
import { runRows } from "../bulk/run.ts";
import { RunStop } from "../bulk/run-stop.ts";
import type { RunParts } from "../bulk/run-types.ts";
import type { RateLimits } from "../api/types.ts";
import type { Connection } from "../config/types.ts";
import type { Context } from "../context.ts";
import { gateName } from "../gate/name.ts";
import { startNotes } from "../output/bulk-notes.ts";
import type { BulkScreen } from "../output/bulk-screen.ts";
import { type GivenCommand, summaryLines } from "../output/bulk-summary.ts";
import { printRows } from "./add-from-dry-run.ts";
import { canGoOn, endOf, tallyOf } from "./add-from-end.ts";
import { type CheckedInput, openChecked } from "./add-from-input.ts";
import type { FromOptions } from "./add-from-options.ts";
import { placeOf } from "./add-from-place.ts";
import { openScreen, waitOn } from "./add-from-screen.ts";
import { hearSignals } from "./add-from-signals.ts";

/** Adds the animals of a file (contract.md, Bulk). Throws a Failure where not all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  const input = await openChecked(context, options);
  try {
    if (options.dryRun) await printRows(context, options, input);
    else await sendRows(context, options, input);
  } finally {
    input.close();
  }
}

async function sendRows(context: Context, options: FromOptions, input: CheckedInput) {
  const connection = await context.connection();
  let limits: RateLimits = {};
  const journal = openJournal({
    ...placeOf(context, input, connection.baseUrl),
    key: gateName(connection.baseUrl.origin, connection.apiKey),
    input: input.name,
    limits: () => limits,
  });
  try {
    await runWith(context, options, { input, connection, journal, see: (seen) => (limits = seen) });
  } finally {
    journal.close();
  }
}

interface Parts {
  readonly input: CheckedInput;
  readonly connection: Connection;
  readonly journal: Journal;
  readonly see: (limits: RateLimits) => void;
}

async function runWith(context: Context, options: FromOptions, parts: Parts): Promise<void> {
  const { journal } = parts;
  const { retryUnknown } = options;
  const { isFinished, isOtherKey } = journal;
  const startsAgain = options.again && isFinished;
  if (startsAgain) journal.startAgain();
  const before = journal.counts;
  const state = { isFinished: isFinished && !startsAgain, isOtherKey, retryUnknown };
  for (const line of startNotes({ tally: tallyOf(before, before), ...state }))
    await context.note(line);
  const stop = new RunStop();
  const start = context.clock.monotonic();
  const left = before.unsent + before.open + before.unknown;
  await runShown(context, options, { ...parts, stop, left });
  const tally = tallyOf(journal.counts, before);
  const failure = endOf(tally, stop.reason);
  const command = canGoOn(failure) ? givenCommand(context, parts.input) : undefined;
  if (left > 0)
    for (const line of summaryLines(tally, context.clock.monotonic() - start, command))
      await context.note(line);
  if (failure !== undefined) throw failure;
}

function givenCommand({ argv, program }: Context, { isReadOnce }: CheckedInput): GivenCommand {
  return { argv, isReadOnce, platform: program.platform };
}

interface ShownParts extends Parts {
  readonly stop: RunStop;
  readonly left: number;
}

/** Runs the rows that are left, and shows them meanwhile. */
async function runShown(context: Context, options: FromOptions, parts: ShownParts): Promise<void> {
  const { input, connection, journal, stop, left } = parts;
  const gate = await context.gate(connection);
  const { count: rows, widths } = input;
  const screen = await openScreen(context, { rows, left, widths, view: () => gate.view() });
  const signals = hearSignals(context, stop);
  const show = async (): Promise<void> => {
    if (left > 0) await sendLeft(context, options, { ...parts, screen });
    if (stop.reason === undefined) finish(journal, stop);
    await screen.close(stop.reason !== undefined).catch((error: unknown) => stop.stop(error));
  };
  try {
    await Promise.race([show(), signals.left]);
  } finally {
    screen.leave();
    signals.release();
  }
}

async function sendLeft(
  context: Context,
  { concurrency, retryUnknown }: FromOptions,
  { input, connection, journal, see, stop, screen }: ShownParts & { readonly screen: BulkScreen },
): Promise<void> {
  const api = await context.api(connection, {
    signal: stop.signal,
    sendSignal: stop.sendSignal,
    wait: waitOn(screen, context, stop.signal),
    onEvent: (event) => (event.type === "reply" ? see(event.limits) : undefined),
  });
  const run: RunParts = {
    batches: input.rows(),
    journal,
    add: (pet, watcher) => api.add(pet, watcher),
    concurrency,
    retryUnknown,
    tell: (end) => screen.tell(end),
  };
  await runRows(run, stop);
}

function finish(journal: Journal, stop: RunStop): void {
  try {
    journal.finish();
  } catch (error) {
    stop.stop(error);
  }
}
