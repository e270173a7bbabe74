import { Failure } from "../../core/errors.ts";
import { formatAge, formatCount, formatPlace, isoTime, plural } from "../../core/format.ts";
import { type FoundRow, foundRows, type KnownRows } from "../../imports/database/compare.ts";
import type { NewImport } from "../../imports/database/import-records.ts";
import { equalRows } from "../../imports/database/stage.ts";
import type { Row } from "../../imports/types.ts";
import type { NextCommand } from "./display/summary.ts";
import type { ImportJob } from "./job.ts";

const maxNoted = 20;
const maxEqual = 3;

/** Returns the failure for an input some of whose rows were added before: exit 2. */
export function alreadyAdded(found: KnownRows, next: NextCommand, now: number): Failure {
  const { rows, known, name, active } = found;
  const others = rows - known;
  const which = others === 1 ? "the new one" : `the ${formatCount(others)} new ones`;
  const onlyNew = `To send only ${which}: ${next("--only-new")}`;
  return new Failure("usage", `nothing sent: ${whatIsKnown(found, now)}`, {
    code: "already_added",
    earlierRows: { known, rows, file: name, at: isoTime(active) ?? "" },
    hints: [...(others > 0 ? [onlyNew] : []), `To send all of them: ${next("--again")}`],
    retryable: false,
  });
}

/** Returns the failure for a look-up of rows in doubt of an input that was never sent: exit 9. */
export function neverImported({ name, host }: NewImport, next: NextCommand): Failure {
  const facts = { hints: [`To import it: ${next()}`], retryable: true };
  return new Failure("partial", `${name} was never imported to ${host}`, facts);
}

function whatIsKnown(found: KnownRows, now: number): string {
  const { rows, known, changed, doubtful, name, active } = found;
  const parts = [
    [known - changed - doubtful, "added"],
    [doubtful, "maybe added"],
    [changed, "changed"],
  ] as const;
  const counts = parts.filter(([count]) => count > 0);
  const how = counts.map(([count, what]) => `${formatCount(count)} ${what}`).join(", ");
  const which = `${formatCount(known)} of ${plural(rows, "animal")} ${known === 1 ? "is" : "are"}`;
  return `${which} in earlier files: ${how} (${name}, ${formatAge(now - active)} ago)`;
}

/** Returns the lines on rows that other imports added, before any row is sent or printed. */
export async function knownNotes(job: ImportJob, found: KnownRows): Promise<readonly string[]> {
  const { context, options } = job;
  const { id, name, unsent, rows, known } = found;
  const left =
    rows === known ? "nothing left to send" : `${plural(rows - known, "row")} left to send`;
  const refused = `nothing would be sent without ${rows > known ? "`--only-new` or " : ""}\`--again\``;
  const summary = `${whatIsKnown(found, context.clock.now())}; ${options.onlyNew ? left : refused}.`;
  const clear = `Import ${id} (${name}) has ${plural(unsent, "row")} left. If this file replaces it: \`pets imports forget ${id}\``;
  return [
    ...(await knownLines(job, options.onlyNew ? "changed" : null)),
    summary,
    ...(options.onlyNew && unsent > 0 ? [clear] : []),
  ];
}

/** Returns a line for each of the first rows that other imports added; of one kind or all. */
export const knownLines = (job: ImportJob, kind: FoundRow["kind"] | null = null) =>
  withNames(job, foundRows(job.database, [0, maxNoted], kind), lineOf);

function lineOf({ kind, isAdded, status, own }: FoundRow, row: Row): string {
  const place = formatPlace(row);
  const { name } = row.pet;
  if (kind === "known")
    return `${place}: ${name} ${isAdded ? "was added" : "may have been added"} earlier`;
  const as = status === "" ? "without a status" : `as ${status}`;
  const how = status === own ? "with another name or category" : `${as}, now ${own || "none"}`;
  return `${place}: changed: ${name} was added ${how}, and the API cannot update it`;
}

/** Returns the lines on rows that equal another row of the same input; `areSent`: all of them are. */
export async function equalNotes(job: ImportJob, areSent: boolean): Promise<readonly string[]> {
  const { count, first } = equalRows(job.database, maxEqual);
  if (count === 0) return [];
  const which = count === 1 ? "1 row equals" : `${formatCount(count)} rows equal`;
  const describe = (found: (typeof first)[number], { pet }: Row): string =>
    `lines ${found.lines.join(", ")} are equal: ${pet.name}`;
  const lines = await withNames(job, first, describe);
  const end = areSent ? "; sending all of them." : ".";
  return [...lines, `${which} an earlier row of this input${end}`];
}

/** Returns a line for each of these rows, which must ascend, with the name of its animal. */
async function withNames<Found extends { readonly number: number }>(
  { source }: ImportJob,
  rows: readonly Found[],
  describe: (found: Found, row: Row) => string,
): Promise<readonly string[]> {
  const wanted = new Map(rows.map((row) => [row.number, row]));
  const lines: string[] = [];
  for await (const batch of source.rows()) {
    for (const row of batch) {
      const found = wanted.get(row.index);
      if (found !== undefined) lines.push(describe(found, row));
    }
    if (lines.length === rows.length) break;
  }
  return lines;
}
