import { signalFailure, usageFailure } from "../../core/errors.ts";
import { ImportDatabase } from "../../imports/database/database.ts";
import type { NewImport } from "../../imports/database/import-records.ts";
import { countRepeated, openStage } from "../../imports/database/stage.ts";
import { openInput } from "../../imports/input/input.ts";
import { invalidRows } from "../../imports/input/suggest.ts";
import { openResults, outcomesOf, type ResultOf } from "../../imports/results.ts";
import { RunAbort } from "../../imports/run/import-run.ts";
import { importPlace } from "../../imports/run/prepare.ts";
import type { Flags } from "../../imports/types.ts";
import { type TerminationSignal } from "../../platform/io.ts";
import { readStdin } from "../ask.ts";
import type { Context } from "../context.ts";
import { type NextCommand, nextCommand } from "./display/summary.ts";
import type { FromOptions } from "./options.ts";
import { readingOf } from "./reading-options.ts";

/** A file to add, whose rows are staged in the record of imports. With a `refusal` nothing of it may be sent. */
export type ImportJob = Awaited<ReturnType<typeof openJob>>;

/** Opens the file of `--from` and reads it once to check it; `answers` are among the options. Rejects with a usage or an io Failure. */
export async function openJob(
  context: Context,
  options: FromOptions,
  argv = context.argv,
  answers: Flags = [],
) {
  const { folders, program, clock, note } = context;
  if (options.repeats !== undefined && options.key === undefined)
    throw usageFailure("--repeats needs --key, the column that identifies an animal");
  const abort = new RunAbort();
  const results =
    options.results === undefined ? undefined : openResults(options.results, options.from, context);
  const reading = readingOf(options);
  const source = await openInput(options.from, readStdin(context), reading, context.signal);
  const next: NextCommand = nextCommand({ ...context, argv }, source.isReadOnce);
  // The outcome of what was sent is recorded unless the run is abandoned.
  const sleep = (ms: number): Promise<void> =>
    clock.sleep(ms, abort.isSending ? abort.sendSignal : abort.signal);
  const closers = [() => source.close()];
  const close = (): void => {
    for (const step of closers.splice(0).toReversed()) step();
  };
  try {
    const access = options.dryRun ? "read" : "write";
    const database = new ImportDatabase(folders.state, access, { sleep, note });
    closers.push(() => database.close());
    const checked = await source.check(openStage(database, options.repeats));
    const repeated = countRepeated(database, "repeated");
    return {
      ...checked,
      repeated,
      context,
      options,
      source,
      database,
      results,
      next,
      abort,
      ...invalidRows(checked.facts, source, { ...options, answers }, next, program.platform),
      /** What became of its rows, as far as that is known: for the results; undefined for none. */
      outcomes: outcomesOf(database, undefined, "valid") as ResultOf | undefined,
      /** Releases something when the results are written too. */
      onClose: (step: () => void): void => void closers.push(step),
      [Symbol.dispose]: close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Returns the base URL of this command, if it has one; the profile is only read if that must tell. */
export const baseUrlHere = async ({ settings, service }: Context): Promise<URL | undefined> =>
  settings.baseUrl ?? (await service.settings()).baseUrl;

/** Returns where an import of the file to a service begins. */
export function placeAt({ context, hash, source }: ImportJob, baseUrl: URL): NewImport {
  const { host } = baseUrl;
  const started = context.clock.now();
  return { ...importPlace(hash, baseUrl), host, name: source.name, started };
}

/** Within it an abandoned run prints how it ended: its output may block. */
const abandonGraceMs = 1000;
const explainAfterMs = 300;

/**
 * Stops a job at the first termination signal, so that requests in flight can finish and results be written, and abandons
 * it at the second. The job restores the earlier handling when it is closed.
 */
export function handleSignals(job: ImportJob): void {
  const { context, abort } = job;
  const { clock, note, interceptSignals, exitNow, signal: earlier } = context;
  const explanation = new AbortController();
  let received = 0;
  const onSignal = (signal: TerminationSignal): void => {
    received += 1;
    const failure = signalFailure(signal);
    if (received === 1) {
      abort.stop(failure);
      const again = signal === "SIGINT" ? "Ctrl-C again" : "a second signal";
      const sending = `Waiting for requests in flight to finish; ${again} stops now and leaves their outcome unknown.`;
      const writing = `Writing the results; ${again} stops now.`;
      const explain = clock.sleep(explainAfterMs, explanation.signal);
      explain.then(() => note(abort.isSending ? sending : writing)).catch(() => {});
    }
    if (received !== 2) return;
    explanation.abort();
    abort.abandon(failure);
    void clock.sleep(abandonGraceMs).then(() => exitNow(signal));
  };
  // A signal that arrived earlier is handled here, or not at all.
  if (earlier.aborted) abort.stop(earlier.reason);
  const restore = interceptSignals(onSignal);
  job.onClose(() => {
    explanation.abort();
    restore();
  });
}
