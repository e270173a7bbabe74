import { Failure } from "../../core/errors.ts";
import { formatAge, formatCount, isoTime, plural } from "../../core/format.ts";
import {
  equalRows,
  type FoundRow,
  foundRows,
  isProbablyAdded,
  type KnownRows,
} from "../../imports/database/compare.ts";
import type { NewImport } from "../../imports/database/import-records.ts";
import type { NextCommand } from "./display/summary.ts";
import type { ImportJob } from "./job.ts";
import type { FromOptions } from "./options.ts";

const maxNoted = 20;

/** Returns the failure for an input half of which was added before: exit 2. */
export function alreadyAdded(rows: KnownRows, next: NextCommand, now: number): Failure {
  const { compared, known, name, active } = rows;
  const others = compared - known;
  const which = others === 1 ? "the new one" : `the ${formatCount(others)} new ones`;
  const onlyNew = `To send only ${which}: ${next("--only-new")}`;
  return new Failure("usage", `nothing sent: ${mayBeThere(rows, now)}`, {
    code: "already_added",
    earlierRows: { known, rows: compared, file: name, at: isoTime(active) ?? "" },
    hints: [...(others > 0 ? [onlyNew] : []), `To send all of them: ${next("--again")}`],
    retryable: false,
  });
}

/** Returns the failure for a look-up of rows in doubt of an input that was never sent: exit 9. */
export function neverImported({ name, host }: NewImport, next: NextCommand): Failure {
  const facts = { hints: [`To import it: ${next()}`], retryable: true };
  return new Failure("partial", `${name} was never imported to ${host}`, facts);
}

function mayBeThere(rows: KnownRows, now: number): string {
  const { compared, known, name, active } = rows;
  const which = `${formatCount(known)} of ${plural(compared, "animal")}`;
  return `${which} may already be in the store (${name}, ${formatAge(now - active)} ago)`;
}

/** Returns the lines on rows that other imports added, before any row is sent or printed. */
export async function knownNotes(job: ImportJob, rows: KnownRows): Promise<readonly string[]> {
  const { context, options, database } = job;
  const found = foundRows(database, [0, maxNoted], options.onlyNew ? "changed" : null);
  const summary = `${mayBeThere(rows, context.clock.now())}; ${whatIsSent(rows, options)}.`;
  return [...(await withNames(job, found, lineOf)), summary];
}

function whatIsSent(rows: KnownRows, { onlyNew, dryRun }: FromOptions): string {
  const others = rows.compared - rows.known;
  if (onlyNew)
    return others === 0 ? "nothing left to send" : `${plural(others, "row")} left to send`;
  if (!dryRun || !isProbablyAdded(rows)) return "sending all. Use `--only-new` to skip these";
  return `nothing would be sent without ${others > 0 ? "`--only-new` or " : ""}\`--again\``;
}

function lineOf({ line, kind, status }: FoundRow, name: string): string {
  if (kind === "known") return `line ${line}: ${name} may already be in the store`;
  const how = status === "" ? "without a status" : `as ${status}`;
  return `line ${line}: changed: ${name} was added ${how}; the API cannot update it`;
}

/** Returns the lines on rows that equal another row of the same input; `areSent`: all of them are. */
export async function equalNotes(job: ImportJob, areSent: boolean): Promise<readonly string[]> {
  const { count, first } = equalRows(job.database, maxNoted);
  if (count === 0) return [];
  const which = count === 1 ? "1 row equals" : `${formatCount(count)} rows equal`;
  const lines = await withNames(
    job,
    first,
    (row, name) => `lines ${row.lines.join(", ")} are equal: ${name}`,
  );
  const end = areSent ? "; sending all of them." : ".";
  return [...lines, `${which} an earlier row of this input${end}`];
}

/** Returns a line for each of these rows, which must ascend, with the name of its animal. */
async function withNames<Found extends { readonly number: number }>(
  { source }: ImportJob,
  rows: readonly Found[],
  describe: (row: Found, name: string) => string,
): Promise<readonly string[]> {
  const wanted = new Map(rows.map((row) => [row.number, row]));
  const lines: string[] = [];
  for await (const batch of source.rows()) {
    for (const { index, pet } of batch) {
      const row = wanted.get(index);
      if (row !== undefined) lines.push(describe(row, pet.name));
    }
    if (lines.length === rows.length) break;
  }
  return lines;
}
