import type { ServiceConnection } from "../../config/connection.ts";
import { BrokenPipe, errorMessage, Failure } from "../../core/errors.ts";
import { formatMoment, plural } from "../../core/format.ts";
import { type NewPetField, newPetFieldNames } from "../../core/pet-fields.ts";
import type { ImportRecord } from "../../imports/database/import-records.ts";
import { outcomesOf } from "../../imports/results.ts";
import { ImportRun } from "../../imports/run/import-run.ts";
import { lockInputs } from "../../imports/run/locks.ts";
import { importPlace, prepareImport } from "../../imports/run/prepare.ts";
import { runRows } from "../../imports/run/run-rows.ts";
import { type CheckParts, checkUnknown } from "../../imports/run/settle.ts";
import type { RowCounts } from "../../imports/types.ts";
import { isJson } from "../../output/formats/index.ts";
import type { Limiter } from "../../rate-limiter/types.ts";
import { isInteractive } from "../ask.ts";
import type { Context } from "../context.ts";
import { openRunDisplay, type RunDisplay } from "./display/progress.ts";
import { runFailure, startNote, summaryLines, totalsOf } from "./display/summary.ts";
import { dryRun, refuse } from "./dry-run.ts";
import { handleSignals, type ImportJob, openJob } from "./job.ts";
import { alreadyAdded, equalNotes, knownLines, knownNotes, neverImported } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

export { withMapping } from "./mapping.ts";

/** Adds the animals of a file (`help import`), and writes the results in any case. Throws a Failure unless all are added. */
export async function addFrom(context: Context, options: FromOptions): Promise<void> {
  using opened = await openJob(context, options);
  using job = isAskedAbout(opened) ? await (await import("./guided.ts")).askAbout(opened) : opened;
  if (job === undefined) return;
  const work = job.refusal === undefined ? (options.dryRun ? dryRun : importFile) : refuse;
  const [end] = await Promise.allSettled([work(job)]);
  const [written] = await Promise.allSettled([job.results?.write(job, job.outcomes)]);
  const stop: unknown = end.status === "rejected" ? withInvalidRows(end.reason, job) : undefined;
  if (written.status === "rejected") {
    if (stop === undefined || stop instanceof BrokenPipe) throw written.reason;
    // Why the run failed matters more.
    await context.warn(`no results in ${options.results}: ${errorMessage(written.reason)}`);
  }
  if (stop !== undefined) throw stop;
}

/** Returns whether a user is at a terminal who can say what is not understood of a file. */
function isAskedAbout({ context, facts, refusal, options, source }: ImportJob): boolean {
  const { settings, env } = context;
  const isAtTerminal = isInteractive(context) && !env.CI && env.TERM !== "dumb";
  if (!isAtTerminal || settings.quiet || isJson(settings) || refusal === undefined) return false;
  if (options.from === "-" || source.isReadOnce) return false;
  const { header, unknown, words, missing, listed, cures } = facts;
  const fatal = listed.at(-1)?.fatal;
  if (header !== undefined) return header.absent.length === 0 && header.kind !== "single";
  const isOpen = (field: NewPetField) => words[field].size > 0;
  const isUnclear = unknown.size + missing.name + missing.categoryId > 0;
  const isCurable = [...cures].some(({ length }) => length > 0);
  return isCurable || (fatal === undefined && (isUnclear || newPetFieldNames.some(isOpen)));
}

/** Returns an error with what is said of invalid rows, unless it says so itself. */
function withInvalidRows(error: unknown, { failure }: ImportJob): unknown {
  if (!(error instanceof Failure) || failure === undefined || error.facts.details) return error;
  return error.with({ ...failure.facts, ...error.facts, hints: error.hints, code: error.code });
}

/** Prepares the import of a file, and sends what is left of it. */
async function importFile(job: ImportJob): Promise<void> {
  const { context, options, database, source, rows, invalid, next, abort } = job;
  const { clock } = context;
  job.outcomes = outcomesOf(database, undefined, "not_sent");
  const connection = await context.service.connection();
  handleSignals(job);
  const { host } = connection.baseUrl;
  const at = importPlace(job.hash, connection.baseUrl);
  const place = { ...at, host, name: source.name, rows, invalid, started: clock.now() };
  const lock = lockInputs(database.folder, [place]);
  job.onClose(() => lock[Symbol.dispose]());
  const ask = () => askStore(job, connection);
  const prepared = await prepareImport(database, place, options, ask).catch((error: unknown) => {
    throw abort.reason?.error ?? error;
  });
  const isKnown = prepared.kind === "already_added";
  job.outcomes = outcomesOf(database, prepared.record, "not_sent", isKnown);
  if (prepared.kind === "never_imported") throw neverImported(place, next);
  if (prepared.kind === "already_added") {
    for (const line of await knownLines(job)) await context.note(line);
    throw alreadyAdded(prepared.known, next, clock.now());
  }
  const isSending = prepared.record.unsent > 0 && !options.checkUnknown;
  const other = "An earlier run sent this input to another store. Starting again.";
  const notes = [
    ...(prepared.isOtherStore ? [other] : []),
    ...(prepared.known === undefined ? [] : await knownNotes(job, prepared.known)),
    ...(isSending ? await equalNotes(job, !options.onlyNew) : []),
  ];
  for (const line of notes) await context.note(line);
  await sendRows(job, connection, prepared.record);
}

/** Sends one request, and returns the id of the store that responds, if it tells it. */
async function askStore({ context, abort }: ImportJob, connection: ServiceConnection) {
  let storeId: string | undefined;
  const { signal, sendSignal } = abort;
  const api = await context.service.api(connection, {
    signal,
    sendSignal,
    onEvent: (event) => {
      if (event.type === "reply") ({ storeId } = event);
    },
  });
  await api.list({ limit: 1 });
  return storeId;
}

/** Reports what an earlier run did, sends or looks up the rows that are left, and prints the summary. */
async function sendRows(job: ImportJob, connection: ServiceConnection, record: ImportRecord) {
  const { context, options, database, rows, abort } = job;
  const { clock, note } = context;
  const limiter = await context.service.limiter(connection);
  const run = new ImportRun(abort, database, record, clock, () => limiter.status());
  const isCheck = options.checkUnknown === true;
  const leftOf = ({ unsent, sent, unknown }: RowCounts): number =>
    sent + unknown + (isCheck ? 0 : unsent);
  const left = leftOf(record);
  const start = isCheck ? undefined : startNote(totalsOf(record, record), options.retryUnknown);
  if (start !== undefined) await note(start);
  const startedAt = clock.monotonic();
  limiter.shareFairly(() => leftOf(run.counts), options.reserve);
  const shown = { rows, left, limits: () => limiter.status(), pace: options };
  const display = await openRunDisplay(context, shown, abort.signal);
  abort.isSending = true;
  try {
    const { signal, sendSignal } = abort;
    const { wait, report } = display;
    const api = await context.service.api(connection, { signal, sendSignal, wait });
    const parts = { api, batches: job.source.rows(), run, report };
    if (isCheck) await lookUp(job, parts);
    else if (left > 0) await runRows({ ...parts, ...sendOptions(job, limiter, wait) });
  } catch (error) {
    abort.stop(error);
  }
  abort.isSending = false;
  await display.close(abort.reason === undefined).catch((error: unknown) => abort.stop(error));
  await run.settled();
  const totals = totalsOf(run.counts, record);
  const failure = runFailure(totals, abort.reason);
  const isFinal = failure instanceof Failure && failure.facts.retryable === false;
  const isTried = abort.reason !== undefined || options.retryUnknown;
  const isSent = left > 0 && (isTried || run.counts.unsent < record.unsent);
  const isChecked = isCheck && totals.inDoubt > 0;
  const kind = isChecked ? "checked" : isSent ? "sent" : "nothing";
  const tookMs = clock.monotonic() - startedAt;
  const next = isFinal ? undefined : job.next;
  const summary = summaryLines(totals, tookMs, kind, next, options.results);
  if (record.rows > 0) for (const line of summary) await note(line);
  if (failure !== undefined) throw failure;
}

const failingNote = "the service has problems; sending one row at a time until one succeeds";

/** Looks up the unknown rows (`--check-unknown`), and says what is left. */
async function lookUp({ context, database }: ImportJob, parts: Omit<CheckParts, "database">) {
  const { clock, note } = context;
  const { unknown, pending, settledAt } = await checkUnknown({ ...parts, database });
  if (unknown === 0) await note("No row of this input is unknown.");
  const when = formatMoment(settledAt, clock.now());
  const still = `The service may still add ${plural(pending, "animal")} sent less than a minute ago: check again at ${when}.`;
  if (pending > 0) await note(still);
}

/** Returns how the rows are sent: as the options say, and slower while the service fails. */
function sendOptions(
  { context, options, abort }: ImportJob,
  limiter: Limiter,
  wait: RunDisplay["wait"],
) {
  const { clock, random } = context;
  const slots = {
    clock,
    random,
    intervalMs: options.rate,
    wait: (ms: number, isFailing: boolean) =>
      isFailing
        ? wait({ reason: "retry", what: failingNote, ms, until: clock.now() + ms })
        : clock.sleep(ms, abort.signal),
    isBackoffAnnounced: () => limiter.backoffMs > 0,
  };
  return { concurrency: options.concurrency, rule: options, slots };
}
