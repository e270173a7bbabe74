import { setFlagsFromString } from "node:v8";
import type { ServiceConnection } from "../../config/connection.ts";
import { errorMessage, Failure } from "../../core/errors.ts";
import { formatMoment } from "../../core/format.ts";
import { hasRecords, importsOfInput } from "../../imports/database/import-records.ts";
import { openResults, outcomesOf, type ResultsFile } from "../../imports/results.ts";
import { checkUnknown } from "../../imports/run/check-unknown.ts";
import { lockInputs } from "../../imports/run/input-lock.ts";
import { placeOf, prepareImport } from "../../imports/run/prepare.ts";
import { ImportRun, runRows } from "../../imports/run/run-rows.ts";
import type { RowCounts } from "../../imports/types.ts";
import { countAnimals } from "../../output/text/format.ts";
import type { Limiter } from "../../rate-limiter/types.ts";
import type { Context } from "../context.ts";
import { openRunDisplay, type RunDisplay } from "./display/progress.ts";
import {
  type NextCommand,
  nextCommand,
  runFailure,
  startNote,
  summaryLines,
  totalsOf,
} from "./display/summary.ts";
import { dryRun, expectedOutcomes } from "./dry-run.ts";
import { openValidatedInput, type ValidatedInput } from "./input.ts";
import { alreadyAdded, equalNotes, knownNotes, neverImported } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";
import { handleRunSignals } from "./signals.ts";

/** Adds the animals of a file (`help import`). Throws a Failure unless all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  // Rows live for an instant. V8 would give them ever more room, up to 60 MB, and save no time by that.
  setFlagsFromString("--semi-space-growth-factor=1");
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
    else await importInput(context, options, input, results);
    if (failure !== undefined) throw new Failure("partial", failure.message, { retryable: false });
  } catch (error) {
    throw failure === undefined ? error : withInvalidRows(error, failure);
  }
}

function withInvalidRows(error: unknown, { facts }: Failure): unknown {
  if (!(error instanceof Failure) || error.facts.details || error.facts.earlierRows) return error;
  const { kind, message, code, hints } = error;
  return new Failure(kind, message, { ...facts, ...error.facts, code, hints });
}

/** Writes the results of a run that failed: why it did matters more than why they could not be written. */
async function warnOnFailure(context: Context, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => context.warn(errorMessage(error)));
}

/** Until it looks again whether another import is prepared. */
const startDelayMs = 100;

/** Sends what is left of an input, and writes the results in any case. */
async function importInput(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
  results: ResultsFile | undefined,
): Promise<void> {
  const { clock, signal } = context;
  const { database, source, rows, invalid } = input;
  const connection = await context.connection();
  const { baseUrl } = connection;
  const host = baseUrl.host || baseUrl.hostname;
  const at = placeOf(source.hash, baseUrl);
  const place = { ...at, host, name: source.name, rows, invalid, started: clock.now() };
  // oxlint-disable-next-line no-underscore-dangle -- it is released at the end of this function.
  using _lock = lockInputs(database.folder, [place]);
  const begun = importsOfInput(database, place.input).filter(hasRecords);
  // Only the store can say which of several imports is its own.
  let record = begun.length === 1 ? begun[0] : undefined;
  let run: ImportRun | undefined;
  let isCompared = false;
  const writeResults = async (): Promise<void> => {
    await run?.settled();
    await results?.write(source, outcomesOf(database, record, "not_sent", isCompared));
  };
  try {
    const prepared = await prepareImport(database, place, options, {
      askStore: () => askStore(context, connection),
      wait: () => clock.sleep(startDelayMs, signal),
    });
    ({ record } = prepared);
    const next = nextCommand(context, source.isReadOnce);
    isCompared = prepared.kind === "already_added";
    if (prepared.kind === "never_imported") throw neverImported(place, next);
    if (prepared.kind === "already_added") throw alreadyAdded(prepared.known, next, clock.now());
    await notePrepared(prepared, context, options, input);
    const limiter = await context.limiter(connection);
    run = new ImportRun(database, prepared.record, clock, () => limiter.status());
    await sendImport({ context, options, input, connection, limiter, run, next });
  } catch (failure) {
    await warnOnFailure(context, writeResults);
    throw failure;
  }
  await writeResults();
}

/** Sends one request, and returns the id of the store that responds, if it tells it. */
async function askStore(
  context: Context,
  connection: ServiceConnection,
): Promise<string | undefined> {
  let storeId: string | undefined;
  const api = await context.api(connection, {
    onEvent: (event) => {
      if (event.type === "reply") ({ storeId } = event);
    },
  });
  await api.list({ limit: 1 });
  return storeId;
}

type Prepared = Extract<Awaited<ReturnType<typeof prepareImport>>, { readonly kind: "ready" }>;

async function notePrepared(
  { record, known, isOtherStore }: Prepared,
  { note, clock }: Context,
  options: FromOptions,
  input: ValidatedInput,
): Promise<void> {
  const isSending = record.unsent > 0 && !options.checkUnknown;
  if (isOtherStore) await note("An earlier run sent this input to another store. Starting again.");
  const lines = [
    ...(known === undefined ? [] : await knownNotes(input, known, options, clock.now())),
    ...(isSending ? await equalNotes(input, !options.onlyNew) : []),
  ];
  for (const line of lines) await note(line);
}

interface ImportJob {
  readonly context: Context;
  readonly options: FromOptions;
  readonly input: ValidatedInput;
  readonly connection: ServiceConnection;
  readonly limiter: Limiter;
  readonly run: ImportRun;
  readonly next: NextCommand;
}

/** Reports what an earlier run did, sends the remaining rows, and prints the summary. */
async function sendImport(job: ImportJob): Promise<void> {
  const { context, options, run } = job;
  const { clock, note } = context;
  const { record, abort } = run;
  const isCheck = options.checkUnknown === true;
  const start = isCheck ? undefined : startNote(totalsOf(record, record), options);
  if (start !== undefined) await note(start);
  const startedAt = clock.monotonic();
  const left = leftOf(record, isCheck);
  await showRun(job, left);
  await run.settled();
  const totals = totalsOf(run.counts, record);
  const failure = runFailure(totals, abort.reason);
  const isFinal = failure instanceof Failure && failure.facts.retryable === false;
  const next = isFinal ? undefined : job.next;
  const isSent = left > 0 && (options.retryUnknown || run.counts.unsent < record.unsent);
  const kind = isCheck ? "checked" : isSent ? "sent" : "nothing";
  const summary = summaryLines(totals, clock.monotonic() - startedAt, next, kind);
  if (record.rows > 0) for (const line of summary) await note(line);
  if (failure !== undefined) throw failure;
}

/** Returns how many rows a run has to send, or to report again. */
const leftOf = ({ unsent, sent, unknown }: RowCounts, isCheck = false): number =>
  sent + unknown + (isCheck ? 0 : unsent);

/** Runs the remaining rows, and shows them as they end. `run.abort` has the reason if the run stopped. */
async function showRun(job: ImportJob, left: number): Promise<void> {
  const { context, options, input, limiter, run } = job;
  const { abort } = run;
  limiter.shareFairly(() => leftOf(run.counts, options.checkUnknown), options.reserve);
  // Installed before the bar is shown, as a signal may arrive at once.
  const release = handleRunSignals(context, abort);
  const shown = { rows: input.rows, left, limits: () => limiter.status(), pace: options };
  const display = await openRunDisplay(context, shown, abort.signal);
  try {
    await finishRows(job, left, display);
  } catch (error) {
    abort.stop(error);
  }
  await display.close(abort.reason === undefined).catch((error: unknown) => abort.stop(error));
  release();
}

const failingNote = "the service has problems; sending one row at a time until one succeeds";

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
    const checked = await checkUnknown({ ...parts, database: input.database });
    if (checked.unknown === 0) await context.note("No row of this input is unknown.");
    const when = formatMoment(checked.settledAt, clock.now());
    const pending = `The service may still add ${countAnimals(checked.pending)} sent less than a minute ago: check again at ${when}.`;
    if (checked.pending > 0) await context.note(pending);
    return;
  }
  const turns = {
    clock,
    random,
    intervalMs: options.rate,
    wait: (ms: number, isFailing: boolean) =>
      isFailing
        ? wait({ reason: "retry", what: failingNote, ms, until: clock.now() + ms })
        : clock.sleep(ms, signal),
    isBackoffAnnounced: () => limiter.backoffMs > 0,
  };
  const { concurrency } = options;
  if (left > 0) await runRows({ ...parts, concurrency, rule: options, turns });
  if (run.abort.reason === undefined) run.finish();
}
