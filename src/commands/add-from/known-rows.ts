import { isMostlyKnown } from "../../imports/known/compare.ts";
import type { RunMatch } from "../../imports/known/earlier-runs.ts";
import { Failure } from "../../core/errors.ts";
import type { Row } from "../../imports/types.ts";
import { formatCount } from "../../core/format.ts";
import { countAnimals, formatAge, isoTime } from "../../output/text/format.ts";
import { commandWith, type OriginalCommand } from "./display/summary.ts";

/** What is known about an input that other runs partly added. */
export interface KnownRows {
  /** The name of the input. */
  readonly name: string;
  /** How many rows other runs added, or may have. */
  readonly known: number;
  /** How many rows were compared. */
  readonly rows: number;
  /** The runs that have rows in common with the input: at least one. */
  readonly matches: readonly RunMatch[];
  readonly now: number;
}

/** Returns the failure for an input half of which was added before: exit 2. */
export function alreadyAdded(rows: KnownRows, command: OriginalCommand): Failure {
  const { known, rows: all } = rows;
  const { input: file, at } = mostMatching(rows);
  const others = all - known;
  const hints = [
    `To send ${others === 0 ? "what is new" : `the other ${formatCount(others)}`}: ${commandWith(command, "--only-new")}`,
    `To send all of them: ${commandWith(command, "--again")}`,
  ];
  const earlierRows = { known, rows: all, file, at: isoTime(at) ?? "" };
  const message = `${addedEarlier(rows)}: nothing was sent`;
  return new Failure("usage", message, {
    code: "already_added",
    earlierRows,
    hints,
    retryable: false,
  });
}

/** Returns the failure for a service that may or may not be the store of an earlier run: exit 2. */
export function storeUnknown(host: string, command: OriginalCommand): Failure {
  const problem = `${host} does not identify its store, and an earlier run used another key or store`;
  const hints = [
    `If it is the same store: ${commandWith(command, "--resume")}`,
    `To send all animals: ${commandWith(command, "--again")}`,
  ];
  return new Failure("usage", `${problem}: nothing was sent`, {
    code: "store_unknown",
    hints,
    retryable: false,
  });
}

/** Returns the line on what `--only-new` leaves out. */
export function onlyNewNote(rows: KnownRows): string {
  const others = rows.rows - rows.known;
  const rest =
    others === 0
      ? "nothing is left to send"
      : `only the other ${formatCount(others)} ${others === 1 ? "is" : "are"} sent`;
  return `${addedEarlier(rows)}: ${rest}.`;
}

/** Returns the line on what `--dry-run` knows without asking the store. */
export function dryRunKnownNote(rows: KnownRows, onlyNew: boolean): string {
  const needsFlag = isMostlyKnown({ known: { size: rows.known }, compared: rows.rows });
  const rest = onlyNew
    ? "left out above"
    : needsFlag
      ? "if it is still the same store, the import needs --only-new or --again"
      : "--only-new leaves them out";
  return `${addedEarlier(rows)}, at this address: ${rest}.`;
}

/** The maximum number of known rows that are noted by line. */
export const maxNoted = 20;

/** Returns the lines on known rows that are sent anyway; `first` are the first of them. */
export function sentAgainNotes(rows: KnownRows, first: readonly Row[]): string[] {
  const { input } = mostMatching(rows);
  const lines = first.map(
    ({ line, pet: { name } }) => `line ${line}: ${name} was added earlier, or may have been`,
  );
  const more = rows.known > first.length ? `, the first ${first.length} of them above` : "";
  const which = `${countAnimals(rows.known)} of ${input} ${rows.known === 1 ? "is" : "are"}`;
  return [...lines, `${which} sent again${more}; --only-new skips such rows.`];
}

function addedEarlier({ name, known, rows, matches, now }: KnownRows): string {
  const which = `${formatCount(known)} of ${countAnimals(rows)} in ${name}`;
  const { input, at } = mostMatching({ matches });
  const by = `by ${input} ${formatAge(now - at)} ago`;
  return `${which} ${known === 1 ? "was" : "were"} added earlier or may have been, ${by}`;
}

/** Returns the run that has the most rows in common with the input; the last one in case of a tie. */
function mostMatching({ matches }: Pick<KnownRows, "matches">): RunMatch["run"] {
  const [first] = matches.toSorted((a, b) => b.rows - a.rows || b.run.at - a.run.at);
  if (first === undefined) throw new TypeError("no run has rows of the input");
  return first.run;
}
