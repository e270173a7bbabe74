import { Failure } from "../../core/errors.ts";
import { formatAge, formatCount, formatPlace, isoTime, plural } from "../../core/format.ts";
import { type FoundRow, foundRows, type KnownRows } from "../../imports/database/compare.ts";
import type { NewImport } from "../../imports/database/import-records.ts";
import { equalRows, repeatedKeys } from "../../imports/database/stage.ts";
import type { Outcome, Row } from "../../imports/types.ts";
import { counted, type NextCommand } from "./display/summary.ts";
import type { ImportJob } from "./job.ts";

const maxNoted = 20;
const maxShown = 3;

/** Returns the failure for an input some of whose rows were added before, or seem to be under other keys: exit 2. */
export function alreadyAdded(found: KnownRows, next: NextCommand, now: number): Failure {
  const { rows, known, name, active } = found;
  const others = found.hasOtherKeys ? 0 : rows - known;
  const which = others === 1 ? "the new one" : `the ${formatCount(others)} new ones`;
  const onlyNew = `To send only ${which}: ${next("--only-new")}`;
  const all = rows === 1 ? "it" : `all ${formatCount(rows)}`;
  const twice = known < rows ? `${all}, ${formatCount(known)} of them` : all;
  const again = `To add ${twice} a second time (animals cannot be deleted): ${next("--again")}`;
  return new Failure("usage", `nothing sent: ${whatIsKnown(found, now)}`, {
    code: "already_added",
    earlierRows: { known, rows, file: name, at: isoTime(active) ?? "" },
    hints: [...(found.hasOtherKeys ? [sameKey] : []), ...(others > 0 ? [onlyNew] : []), again],
    retryable: false,
  });
}

const sameKey = "Is --key the same column as before?";

/** Returns the failure for a look-up of rows in doubt of an input that was never sent: exit 9. */
export function neverImported({ name, host }: NewImport, next: NextCommand): Failure {
  const facts = { hints: [`To import it: ${next()}`], retryable: true };
  return new Failure("partial", `${name} was never imported to ${host}`, facts);
}

function whatIsKnown(found: KnownRows, now: number): string {
  const { rows, known, changed, doubtful, name, active } = found;
  const which = `${formatCount(known)} of ${plural(rows, "animal")} ${known === 1 ? "is" : "are"}`;
  const source = `(${name}, ${formatAge(now - active)} ago)`;
  if (found.hasOtherKeys)
    return `no key is known, but ${which} in earlier files with other keys ${source}`;
  const how = counted([
    [known - changed - doubtful, "added"],
    [doubtful, "maybe added"],
    [changed, "changed"],
  ]);
  return `${which} in earlier files: ${how.join(", ")} ${source}`;
}

/** Returns the lines on rows that other imports added, before any row is sent or printed. */
export async function knownNotes(job: ImportJob, found: KnownRows): Promise<readonly string[]> {
  const { context, options } = job;
  const { rows, known } = found;
  const left =
    rows === known ? "nothing left to send" : `${plural(rows - known, "row")} left to send`;
  const isNewOffered = rows > known && !found.hasOtherKeys;
  const refused = `nothing would be sent without ${isNewOffered ? "`--only-new` or " : ""}\`--again\``;
  const isSent = !found.hasOtherKeys && (options.onlyNew || found.news === 0);
  const summary = `${whatIsKnown(found, context.clock.now())}; ${isSent ? left : refused}.`;
  return [...(await knownLines(job, found, isSent ? "changed" : null)), summary];
}

/** Returns a line for each of the first rows that other imports added; of one outcome or all. */
export async function knownLines(
  job: ImportJob,
  { known, changed }: KnownRows,
  outcome: Outcome | null = null,
): Promise<readonly string[]> {
  const lines = await withNames(job, foundRows(job.database, [0, maxNoted], outcome), lineOf);
  const more = (outcome === null ? known : changed) - lines.length;
  return lines.length > 0 && more > 0 ? [...lines, `… and ${formatCount(more)} more`] : lines;
}

function lineOf({ outcome, status, own }: FoundRow, row: Row): string {
  const place = formatPlace(row);
  const { name } = row.pet;
  if (outcome === "known") return `${place}: ${name} was added earlier`;
  if (outcome === "unknown") return `${place}: ${name} may have been added earlier`;
  if (outcome === "waiting") return `${place}: ${name} is being added by another import`;
  if (status === own)
    return `${place}: changed: the key of ${name} was added with another name or category, and the API cannot update it`;
  const as = status === "" ? "without a status" : `as ${status}`;
  return `${place}: changed: ${name} was added ${as}, now ${own || "none"}, and the API cannot update it`;
}

/** Returns the lines on rows that equal another row of the same input; `areSent`: all of them are. */
export async function equalNotes(job: ImportJob, areSent: boolean): Promise<readonly string[]> {
  const { count, first } = equalRows(job.database, maxShown);
  if (count === 0) return [];
  const which = count === 1 ? "1 row equals" : `${formatCount(count)} rows equal`;
  const describe = (found: (typeof first)[number], { pet }: Row): string =>
    `lines ${found.lines.join(", ")} are equal: ${pet.name}`;
  const lines = await withNames(job, first, describe);
  const end = areSent ? "; sending all of them." : ".";
  return [...lines, `${which} an earlier row of this input${end}`];
}

/** Returns the lines on rows that are left out as another row of the same input counts for their key. */
export async function repeatedNotes(job: ImportJob): Promise<readonly string[]> {
  const { repeated, database, options } = job;
  if (repeated === 0) return [];
  const lines = await withNames(
    job,
    repeatedKeys(database, 0, maxShown),
    ({ keptLine }, row) =>
      `${formatPlace(row)}: ${row.pet.name} has the same key as line ${keptLine}`,
  );
  const which = repeated === 1 ? "1 row repeats" : `${formatCount(repeated)} rows repeat`;
  return [...lines, `${which} a key; the ${options.repeats} row of each key counts.`];
}

/** Returns a line for each of these rows, which must ascend, with the name of its animal. */
async function withNames<Found extends { readonly number: number }>(
  { source }: ImportJob,
  rows: readonly Found[],
  describe: (found: Found, row: Row) => string,
): Promise<readonly string[]> {
  const wanted = new Map(rows.map((row) => [row.number, row]));
  return (await source.rowsAt([...wanted.keys()])).flatMap((row) => {
    const found = wanted.get(row.index);
    return found === undefined ? [] : [describe(found, row)];
  });
}
