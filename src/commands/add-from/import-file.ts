import type { ServiceConnection } from "../../config/connection.ts";
import { errorMessage, Failure } from "../../core/errors.ts";
import { formatMoment, plural } from "../../core/format.ts";
import { hasRecords, importsOfInput } from "../../imports/database/import-records.ts";
import { outcomesOf } from "../../imports/results.ts";
import { checkUnknown } from "../../imports/run/check-unknown.ts";
import { lockInputs } from "../../imports/run/input-lock.ts";
import { importPlace, prepareImport } from "../../imports/run/prepare.ts";
import { ImportRun, runRows } from "../../imports/run/run-rows.ts";
import type { RowCounts } from "../../imports/types.ts";
import type { Limiter } from "../../rate-limiter/types.ts";
import type { Context } from "../context.ts";
import { openRunDisplay, type RunDisplay } from "./display/progress.ts";
import { runFailure, startNote, summaryLines, totalsOf } from "./display/summary.ts";
import { dryRun, expectedOutcomes, recordedHere } from "./dry-run.ts";
import { type ImportJob, openJob } from "./job.ts";
import { alreadyAdded, equalNotes, knownNotes, neverImported } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";
import { handleRunSignals } from "./signals.ts";

/** Adds the animals of a file (`help import`). Throws a Failure unless all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  using job = await openJob(context, options);
  const { failure, refusal, results } = job;
  if (refusal !== undefined) {
    await warnOnFailure(context, async () =>
      results?.write(job, expectedOutcomes(job, await recordedHere(job))),
    );
    throw refusal;
  }
  try {
    await (options.dryRun ? dryRun(job) : importFile(job));
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

/** Sends what is left of a file, and writes the results in any case. */
async function importFile(job: ImportJob): Promise<void> {
  const { context, options, database, source, rows, invalid, results, next } = job;
  const { clock, signal } = context;
  const connection = await context.service.connection();
  const { host } = connection.baseUrl;
  const at = importPlace(job.hash, connection.baseUrl);
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
    await results?.write(job, outcomesOf(database, record, "not_sent", isCompared));
  };
  try {
    const prepared = await prepareImport(database, place, options, {
      askStore: () => askStore(context, connection),
      wait: () => clock.sleep(startDelayMs, signal),
    });
    ({ record } = prepared);
    isCompared = prepared.kind === "already_added";
    if (prepared.kind === "never_imported") throw neverImported(place, next);
    if (prepared.kind === "already_added") throw alreadyAdded(prepared.known, next, clock.now());
    const isSending = prepared.record.unsent > 0 && !options.checkUnknown;
    const other = "An earlier run sent this input to another store. Starting again.";
    const notes = [
      ...(prepared.isOtherStore ? [other] : []),
      ...(prepared.known === undefined ? [] : await knownNotes(job, prepared.known)),
      ...(isSending ? await equalNotes(job, !options.onlyNew) : []),
    ];
    for (const line of notes) await context.note(line);
    const limiter = await context.service.limiter(connection);
    run = new ImportRun(database, prepared.record, clock, () => limiter.status());
    await sendRows({ ...job, connection, limiter, run });
  } catch (failure) {
    await warnOnFailure(context, writeResults);
    throw failure;
  }
  await writeResults();
}

/** Sends one request, and returns the id of the store that responds, if it tells it. */
async function askStore(context: Context, connection: ServiceConnection) {
  let storeId: string | undefined;
  const api = await context.service.api(connection, {
    onEvent: (event) => {
      if (event.type === "reply") ({ storeId } = event);
    },
  });
  await api.list({ limit: 1 });
  return storeId;
}

type RunJob = ImportJob & { connection: ServiceConnection; limiter: Limiter; run: ImportRun };

/** Reports what an earlier run did, sends or looks up the rows that are left, and prints the summary. */
async function sendRows(job: RunJob): Promise<void> {
  const { context, options, rows, limiter, run } = job;
  const { clock, note } = context;
  const { record, abort } = run;
  const isCheck = options.checkUnknown === true;
  const leftOf = ({ unsent, sent, unknown }: RowCounts): number =>
    sent + unknown + (isCheck ? 0 : unsent);
  const left = leftOf(record);
  const start = isCheck ? undefined : startNote(totalsOf(record, record), options.retryUnknown);
  if (start !== undefined) await note(start);
  const startedAt = clock.monotonic();
  limiter.shareFairly(() => leftOf(run.counts), options.reserve);
  // Installed before the bar is shown, as a signal may arrive at once.
  const release = handleRunSignals(context, abort);
  const shown = { rows, left, limits: () => limiter.status(), pace: options };
  const display = await openRunDisplay(context, shown, abort.signal);
  try {
    await finishRows(job, left, display);
  } catch (error) {
    abort.stop(error);
  }
  await display.close(abort.reason === undefined).catch((error: unknown) => abort.stop(error));
  release();
  await run.settled();
  const totals = totalsOf(run.counts, record);
  const failure = runFailure(totals, abort.reason);
  const isFinal = failure instanceof Failure && failure.facts.retryable === false;
  const isSent = left > 0 && (options.retryUnknown || run.counts.unsent < record.unsent);
  const kind = isCheck ? "checked" : isSent ? "sent" : "nothing";
  const tookMs = clock.monotonic() - startedAt;
  const summary = summaryLines(totals, tookMs, kind, isFinal ? undefined : job.next);
  if (record.rows > 0) for (const line of summary) await note(line);
  if (failure !== undefined) throw failure;
}

const failingNote = "the service has problems; sending one row at a time until one succeeds";

/** Sends the rows that are left, or looks up the unknown ones. */
async function finishRows(job: RunJob, left: number, { wait, report }: RunDisplay): Promise<void> {
  const { context, options, database, source, connection, limiter, run } = job;
  const { clock, random } = context;
  const { signal, sendSignal } = run.abort;
  const api = await context.service.api(connection, { signal, sendSignal, wait });
  const parts = { api, batches: source.rows(), run, report };
  if (options.checkUnknown) {
    const checked = await checkUnknown({ ...parts, database });
    if (checked.unknown === 0) await context.note("No row of this input is unknown.");
    const when = formatMoment(checked.settledAt, clock.now());
    const pending = `The service may still add ${plural(checked.pending, "animal")} sent less than a minute ago: check again at ${when}.`;
    if (checked.pending > 0) await context.note(pending);
    return;
  }
  const slots = {
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
  if (left > 0) await runRows({ ...parts, concurrency, rule: options, slots });
  if (run.abort.reason === undefined) run.finish();
}
