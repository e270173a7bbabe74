import { errorMessage, Failure } from "../../core/errors.ts";
import { importsOfInput, type ImportRecord } from "../../imports/database/import-records.ts";
import { outcomesOf } from "../../imports/report/outcomes.ts";
import { openResults, type ResultsFile } from "../../imports/report/results-file.ts";
import type { Context } from "../context.ts";
import type { ValidatedInput } from "./input.ts";
import type { FromOptions } from "./options.ts";

/** Checks that `--results` can be written. Throws a usage or an io Failure. */
export function resultsOf({ results, from }: FromOptions): ResultsFile | undefined {
  return results === undefined ? undefined : openResults(results, from);
}

/**
 * Runs `step`, and then writes the results in whatever way it ended. A failure of `step` comes before one of
 * the results, which is then only noted.
 */
export async function withResults(
  { warn }: Pick<Context, "warn">,
  step: () => Promise<void>,
  write: (failure: unknown) => Promise<void> | undefined,
): Promise<void> {
  const [ran] = await Promise.allSettled([step()]);
  const failure: unknown = ran.status === "rejected" ? ran.reason : undefined;
  try {
    await write(failure);
  } catch (error) {
    if (ran.status === "fulfilled") throw error;
    await warn(errorMessage(error));
  }
  if (ran.status === "rejected") throw failure;
}

/** Writes what became of the rows of an input, over all its runs. */
export function writeRun(
  results: ResultsFile,
  { source, database }: ValidatedInput,
  input: string,
  { record, failure }: { readonly record: ImportRecord | undefined; readonly failure: unknown },
): Promise<void> {
  const isCompared = failure instanceof Failure && failure.code === "already_added";
  const own = record ?? importsOfInput(database, input)[0];
  return results.write(
    source,
    outcomesOf(database, { record: own, unsent: "not_sent", isCompared }),
  );
}
