import path from "node:path";
import { journalName } from "../bulk/journal-folder.ts";
import { openJournal } from "../bulk/journal-open.ts";
import { readJournal } from "../bulk/journal-view.ts";
import type { Journal } from "../bulk/journal.ts";
import { runRows } from "../bulk/run.ts";
import { RunStop } from "../bulk/run-stop.ts";
import { taskFor } from "../bulk/run-feed.ts";
import type { RateLimits } from "../api/types.ts";
import { resolveBaseUrl } from "../config/connection.ts";
import type { Connection } from "../config/types.ts";
import type { Context } from "../context.ts";
import { gateName } from "../gate/name.ts";
import { endOf, tallyOf } from "./add-from-end.ts";
import type { FromOptions } from "./add-from-options.ts";
import { hearSignals } from "./add-from-signals.ts";
import { type CheckedInput, openChecked, openScreen, type Screen } from "./add-from-standin.ts";

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
  const { journal, input, connection, see } = parts;
  const { retryUnknown } = options;
  if (options.again && journal.isFinished) journal.startAgain();
  const before = journal.counts;
  const screen = await openScreen(context, input);
  const stop = new RunStop();
  const api = await context.api(connection, {
    signal: stop.signal,
    sendSignal: stop.sendSignal,
    onEvent: (event) => (event.type === "reply" ? see(event.limits) : undefined),
  });
  const signals = hearSignals(context, stop);
  const { concurrency } = options;
  const run = { batches: input.rows(), journal, add: api.add, concurrency, retryUnknown };
  try {
    await Promise.race([runRows({ ...run, tell: (end) => screen.tell(end) }, stop), signals.left]);
    if (stop.reason === undefined) journal.finish();
    const tally = tallyOf(journal.counts, before);
    await screen.end(tally);
    const failure = endOf(tally, stop.reason);
    if (failure !== undefined) throw failure;
  } finally {
    signals.release();
  }
}

/** Where the journal of an input is, for whoever sends it to `baseUrl`. */
function placeOf({ folders }: Context, input: CheckedInput, baseUrl: URL) {
  const folder = path.join(folders.state, "bulk");
  return { folder, name: journalName(input.content, baseUrl), rows: input.count };
}

async function printRows(context: Context, options: FromOptions, input: CheckedInput) {
  const { retryUnknown, again } = options;
  const baseUrl = await resolveBaseUrl(context.settings, context.profiles);
  const journal = baseUrl && readJournal({ ...placeOf(context, input, baseUrl), key: "" });
  const anew = journal === undefined || (again && journal.isFinished);
  const screen: Screen = await openScreen(context, input);
  for await (const batch of input.rows()) {
    for (const row of batch) {
      if (!("pet" in row)) continue;
      if (anew || taskFor(journal.state(row.index), retryUnknown) === "send") await screen.row(row);
    }
  }
}
