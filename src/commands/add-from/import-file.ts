import { waitFor } from "../../client/retry/wait.ts";
import type { ServiceConnection } from "../../config/connection.ts";
import { BrokenPipe, errorMessage, Failure } from "../../core/errors.ts";
import {
  type ImportRecord,
  importsOfInput,
  readImport,
  recordedRows,
  unknownRows,
} from "../../imports/database/import-records.ts";
import { outcomesOf } from "../../imports/results.ts";
import { ImportRun } from "../../imports/run/import-run.ts";
import { findRunning, lockInputs } from "../../imports/run/locks.ts";
import { importAt, prepareImport } from "../../imports/run/prepare.ts";
import { runRows, unknownEnd } from "../../imports/run/run-rows.ts";
import { isJson } from "../../output/formats/index.ts";
import type { Limiter } from "../../rate-limiter/types.ts";
import { isInteractive } from "../ask.ts";
import type { Context } from "../context.ts";
import { type AskedStore, askedStore } from "../imports/asked-store.ts";
import { settleHere } from "../imports/check.ts";
import { openRunDisplay, type RunDisplay } from "./display/progress.ts";
import { runFailure, startNote, summaryLines, totalsOf } from "./display/summary.ts";
import { dryRun, refuse } from "./dry-run.ts";
import { baseUrlHere, handleSignals, type ImportJob, openJob, placeAt } from "./job.ts";
import {
  alreadyAdded,
  equalNotes,
  knownLines,
  knownNotes,
  neverImported,
  repeatedNotes,
} from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

export { withMapping } from "./mapping.ts";

/** Adds the animals of a file (`help import`), and writes the results in any case. Throws a Failure unless all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  using opened = await openJob(context, options);
  const { name, otherSheets } = opened.source;
  if (options.sheet === undefined && otherSheets.length > 0)
    await context.note(
      `${name} has other sheets with rows: ${otherSheets.map((each) => JSON.stringify(each)).join(", ")}. Read one with --sheet.`,
    );
  using job = canAsk(opened) ? await (await import("./guided.ts")).askAbout(opened) : opened;
  if (job === undefined) return;
  const work = job.refusal === undefined ? (options.dryRun ? dryRun : importFile) : refuse;
  const [end] = await Promise.allSettled([work(job)]);
  const { outcomes, abort } = job;
  const [written] = await Promise.allSettled([
    outcomes && job.results?.write(job, outcomes, abort.sendSignal),
  ]);
  const stop: unknown = end.status === "rejected" ? withInvalidRows(end.reason, job) : undefined;
  if (written.status === "rejected") {
    const { reason } = written;
    const problem = `no results in ${options.results}: ${errorMessage(reason)}`;
    if (stop === undefined || stop instanceof BrokenPipe)
      throw reason instanceof Failure ? reason.with({}, problem) : reason;
    // Why the run failed matters more.
    await context.warn(problem);
  }
  if (stop !== undefined) throw stop;
}

/** Returns whether a user is at a terminal who may be asked about a file that is refused. */
function canAsk({ context, refusal, options, source }: ImportJob): boolean {
  const { settings, env } = context;
  const isAtTerminal = isInteractive(context) && env.TERM !== "dumb";
  if (!isAtTerminal || settings.quiet || isJson(settings) || refusal === undefined) return false;
  return options.from !== "-" && !source.isReadOnce;
}

/** Returns an error with what is said of invalid rows, unless it says so itself. */
function withInvalidRows(error: unknown, { failure }: ImportJob): unknown {
  if (!(error instanceof Failure) || failure === undefined || error.facts.details) return error;
  return error.with({ ...failure.facts, ...error.facts, hints: error.hints, code: error.code });
}

/** Prepares the import of a file, and sends what is left of it. */
async function importFile(job: ImportJob): Promise<void> {
  const { context, options, database, next, abort } = job;
  const { clock } = context;
  const notSent = outcomesOf(database, undefined, "not_sent");
  job.outcomes = notSent;
  const baseUrl = (await baseUrlHere(context)) ?? (await context.service.connection()).baseUrl;
  const place = placeAt(job, baseUrl);
  // Without the lock: another run of the input knows what becomes of its rows.
  job.outcomes = undefined;
  const lock = lockInputs(database.folder, [place]);
  job.onClose(() => lock[Symbol.dispose]());
  job.outcomes = notSent;
  const connection = await context.service.connection();
  handleSignals(job);
  const { signal, sendSignal } = abort;
  const store = await askedStore(context, connection, { signal, sendSignal });
  const ask = async (): Promise<string | undefined> => {
    const storeId = await store.ask();
    const own = importAt(importsOfInput(database, place.input), storeId);
    job.outcomes = outcomesOf(database, own, "not_sent");
    return storeId;
  };
  const preparing = prepareImport(database, place, options, ask);
  const prepared = await preparing.catch((error: unknown) => {
    throw abort.reason?.error ?? error;
  });
  const isRefused = prepared.kind === "refused";
  job.outcomes = outcomesOf(
    database,
    prepared.record,
    "not_sent",
    isRefused ? "compared" : undefined,
  );
  if (prepared.kind === "never_imported") throw neverImported(place, next);
  if (isRefused) {
    for (const line of await knownLines(job, prepared.known)) await context.note(line);
    throw alreadyAdded(prepared.known, next, clock.now());
  }
  const isSending = prepared.record.unsent > 0 && !options.checkUnknown;
  const other = "An earlier run sent this input to another store. Starting again.";
  const notes = [
    ...(prepared.isOtherStore ? [other] : []),
    ...(isSending ? await repeatedNotes(job) : []),
    ...(prepared.known === undefined ? [] : await knownNotes(job, prepared.known)),
    ...(isSending ? await equalNotes(job, !options.onlyNew) : []),
  ];
  for (const line of notes) await context.note(line);
  await sendRows(job, connection, prepared.record);
}

/** Reports what an earlier run did, sends or looks up the rows that are left, and prints the summary. */
async function sendRows(job: ImportJob, connection: ServiceConnection, record: ImportRecord) {
  const { context, options, database, rows, abort } = job;
  const { clock, note } = context;
  const limiter = await context.service.limiter(connection);
  const run = new ImportRun(abort, database, record, context, () => limiter.status());
  const isCheck = options.checkUnknown === true;
  const left = record.unknown + (isCheck ? 0 : record.unsent);
  const start = isCheck ? undefined : startNote(totalsOf(record, record), options.retryUnknown);
  if (start !== undefined) await note(start);
  const startedAt = clock.monotonic();
  limiter.shareFairly(() => left - run.ended, options.reserve);
  const shown = { rows, left, limits: () => limiter.status(), pace: options };
  const display = await openRunDisplay(context, shown);
  abort.isSending = true;
  try {
    const { signal, sendSignal } = abort;
    const { onEvent, report } = display;
    const overrides = { signal, sendSignal, onEvent };
    if (isCheck)
      await lookUp(job, record, await askedStore(context, connection, overrides), report);
    else if (left > 0) {
      const api = await context.service.api({ connection, ...overrides });
      const parts = { api, batches: job.source.rows(), run, report };
      await runRows({ ...parts, ...sendOptions(job, limiter, onEvent) });
    }
  } catch (error) {
    abort.stop(error);
  }
  await display.close(abort.reason === undefined).catch((error: unknown) => abort.stop(error));
  await run.settled();
  abort.isSending = false;
  findRunning(database, record.input);
  const totals = totalsOf(readImport(database, record.id), record);
  const failure = runFailure(totals, abort.reason);
  const isFinal = failure instanceof Failure && failure.facts.retryable === false;
  const isTried = abort.reason !== undefined || options.retryUnknown;
  const isSent = left > 0 && (isTried || totals.unsent < record.unsent);
  const isChecked = isCheck && totals.inDoubt > 0;
  const kind = isChecked ? "checked" : isSent ? "sent" : "nothing";
  const tookMs = clock.monotonic() - startedAt;
  const next = isFinal ? undefined : job.next;
  const corrected = job.source.isReadBy(job.shape.columns) ? options.results : job.source.name;
  const summary = summaryLines(totals, tookMs, kind, next, options.results, corrected);
  if (record.rows > 0) for (const line of summary) await note(line);
  if (failure !== undefined) throw failure;
}

const failingNote = "the service has problems; sending one row at a time until one succeeds";

/** Looks up the unknown rows (`--check-unknown`), and reports those that were added or stay unknown. */
async function lookUp(
  { context, database, source }: ImportJob,
  { id, input }: ImportRecord,
  store: AskedStore,
  report: RunDisplay["report"],
): Promise<void> {
  const rows = new Set(unknownRows(database, { id }).map(({ number }) => number));
  if (rows.size === 0) return context.note("No row of this input is unknown.");
  const pets = await settleHere(context, database, store, [id], [input]);
  for await (const batch of source.rows())
    for (const row of batch.filter(({ index }) => rows.has(index))) {
      const [recorded] = recordedRows(database, { id }, row.index, 1);
      const pet = pets.get(row.index);
      if (pet !== undefined) await report({ outcome: "added", row, pet });
      else if (recorded?.outcome === "unknown") await report(unknownEnd(row, notShown));
    }
}

const notShown = "the lists do not show whether the animal was added";

/** Returns how the rows are sent: as the options say, and slower while the service fails. */
function sendOptions(
  { context, options, abort }: ImportJob,
  limiter: Limiter,
  onEvent: RunDisplay["onEvent"],
) {
  const { clock, random } = context;
  const waiter = { clock, signal: abort.signal, onEvent };
  const slots = {
    clock,
    random,
    intervalMs: options.rate,
    wait: (ms: number, isFailing: boolean) =>
      isFailing ? waitFor(waiter, { what: failingNote, ms }) : clock.sleep(ms, abort.signal),
    isBackoffAnnounced: () => limiter.backoffMs > 0,
  };
  return { concurrency: options.concurrency, rule: options, slots };
}
