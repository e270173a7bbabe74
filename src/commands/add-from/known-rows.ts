import {
  type FoundRow,
  foundRows,
  isMostlyKnown,
  type KnownRows,
} from "../../imports/database/compare.ts";
import { equalRows } from "../../imports/database/staged-input.ts";
import { Failure } from "../../core/errors.ts";
import { formatCount } from "../../core/format.ts";
import { countAnimals, formatAge, isoTime } from "../../output/text/format.ts";
import { commandWith, type OriginalCommand } from "./display/summary.ts";
import type { ValidatedInput } from "./input.ts";
import type { FromOptions } from "./options.ts";

/** The maximum number of rows that are noted by line. */
const maxNoted = 20;

const total = ({ known, changed }: Pick<KnownRows, "known" | "changed">): number => known + changed;
const newRows = (rows: KnownRows): number => rows.compared - total(rows);

/** Returns the failure for an input half of which was added before: exit 2. */
export function alreadyAdded(rows: KnownRows, command: OriginalCommand, now: number): Failure {
  const { compared, changed, name, active } = rows;
  const others = newRows(rows);
  const onlyNew = `To send only the ${others === 1 ? "new one" : `${formatCount(others)} new ones`}: ${commandWith(command, "--only-new")}`;
  const addChanged = `To send only the ${formatCount(changed)} with another status: ${commandWith(command, "--add-changed")}`;
  return new Failure("usage", `nothing sent: ${mayBeThere(rows, now)}`, {
    code: "already_added",
    earlierRows: {
      known: total(rows),
      rows: compared,
      file: name,
      at: isoTime(active) ?? "",
    },
    hints: [
      ...(others > 0 ? [onlyNew] : changed > 0 ? [addChanged] : []),
      `To send all of them: ${commandWith(command, "--again")}`,
    ],
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
  return new Failure("usage", `nothing sent: ${problem}`, {
    code: "store_unknown",
    hints,
    retryable: false,
  });
}

/** Returns `2 of 3 animals may already be in the store (ok.csv, 1 s ago)`. */
function mayBeThere(rows: KnownRows, now: number): string {
  const { compared, name, active } = rows;
  const which = `${formatCount(total(rows))} of ${countAnimals(compared)}`;
  return `${which} may already be in the store (${name}, ${formatAge(now - active)} ago)`;
}

/** Returns the lines on rows that other imports added, before any row is sent or printed. */
export async function knownNotes(
  input: ValidatedInput,
  rows: KnownRows,
  { onlyNew, addChanged, dryRun }: Pick<FromOptions, "onlyNew" | "addChanged" | "dryRun">,
  now: number,
): Promise<readonly string[]> {
  const isOnlyNew = onlyNew || addChanged;
  const found = foundRows(input.database, {
    first: 0,
    most: maxNoted,
    ...(isOnlyNew && { kind: "changed" }),
  });
  const names = await namesOf(
    input,
    found.map(({ number }) => number),
  );
  const lines = found.map((row) => lineOf(row, names.get(row.number) ?? ""));
  return [
    ...lines,
    `${mayBeThere(rows, now)}; ${whatHappens(rows, { isOnlyNew, addChanged, dryRun })}.`,
  ];
}

function whatHappens(
  rows: KnownRows,
  { isOnlyNew, addChanged, dryRun }: { isOnlyNew: boolean; addChanged: boolean; dryRun: boolean },
): string {
  const others = newRows(rows) + (addChanged ? rows.changed : 0);
  if (isOnlyNew) {
    if (others === 0) return "nothing is left to send";
    const changed = addChanged && rows.changed > 0 ? " and changed" : "";
    return others === 1
      ? "only the new one is sent"
      : `only the ${formatCount(others)} new${changed} ones are sent`;
  }
  if (dryRun && isMostlyKnown(rows))
    return `nothing would be sent without ${newRows(rows) > 0 ? "--only-new or " : ""}--again`;
  return "all are sent. Use --only-new to skip known rows";
}

function lineOf({ line, kind, status }: FoundRow, name: string): string {
  if (kind === "known") return `line ${line}: ${name} may already be in the store`;
  const how = status === "" ? "without a status" : `as ${status}`;
  return `line ${line}: changed: ${name} was added ${how}; the API cannot update it`;
}

/** Returns the lines on rows that equal another row of the same input. */
export async function equalNotes(input: ValidatedInput): Promise<readonly string[]> {
  const { count, first } = equalRows(input.database, maxNoted);
  if (count === 0) return [];
  const names = await namesOf(
    input,
    first.map(({ number }) => number),
  );
  const lines = first.map(
    ({ number, lines: at }) => `${listed(at)} are equal: ${names.get(number) ?? ""}`,
  );
  const which = count === 1 ? "1 row equals" : `${formatCount(count)} rows equal`;
  return [...lines, `${which} an earlier row of this input; equal rows are all sent.`];
}

function listed(lines: readonly number[]): string {
  const [last = 0, ...others] = lines.toReversed();
  return `lines ${others.toReversed().join(", ")} and ${last}`;
}

/** Reads the names of the rows with these numbers, which must ascend. */
async function namesOf(
  input: Pick<ValidatedInput, "rows">,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const wanted = new Set(numbers);
  const names = new Map<number, string>();
  if (wanted.size === 0) return names;
  for await (const batch of input.rows()) {
    for (const { index, pet } of batch) if (wanted.has(index)) names.set(index, pet.name);
    if (names.size === wanted.size) break;
  }
  return names;
}
