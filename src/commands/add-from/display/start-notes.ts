import type { RunTotals } from "../../../imports/types.ts";
import { formatCount } from "../../../core/format.ts";
import { addedOf, countAnimals } from "../../../output/text/format.ts";
import { leftOut } from "./summary.ts";

/** What is known about an input before anything is sent. */
export interface StartState {
  /** From the journal: rows that earlier runs sent without a recorded outcome are `unknown`. */
  readonly totals: RunTotals;
  readonly isFinished: boolean;
  /** Whether the run was started with another API key. */
  readonly isOtherKey: boolean;
  readonly retryUnknown: boolean;
  /** Whether rows are sent of which only the status is new. */
  readonly addChanged: boolean;
}

/** Returns the lines printed before a run: whether it resumes an earlier one, and what it will not send. */
export function startNotes(state: StartState): string[] {
  const { totals, isFinished, isOtherKey, retryUnknown, addChanged } = state;
  if (totals.rows === 0) return ["The input has no animals; nothing was sent."];
  const done = totals.earlier + totals.rejected;
  const isBegun = done + totals.unknown > 0;
  const resends = (retryUnknown && totals.unknown > 0) || (addChanged && totals.changed > 0);
  return [
    ...(isOtherKey && isBegun ? [otherKeyNote(isFinished && !resends)] : []),
    ...(isFinished ? [finishedNote(totals, resends)] : []),
    ...(isBegun && !isFinished ? [goesOnNote(done, totals.rows)] : []),
    ...unknownNote(totals.unknown, retryUnknown),
  ];
}

function otherKeyNote(isOver: boolean): string {
  return isOver
    ? "An earlier run of this input used another key."
    : "An earlier run of this input used another key; it continues with this one.";
}

function finishedNote(totals: RunTotals, resends: boolean): string {
  const { rows, earlier, unknown, rejected } = totals;
  const all = rows === 1 ? "its animal was added" : `all ${countAnimals(rows)} were added`;
  const added = earlier === rows ? all : addedOf(earlier, rows);
  const sentBefore = [`Already imported: ${added}`, ...leftOut(totals)].join(", ");
  if (resends) return `${sentBefore}.`;
  // Sending all again would add those a second time whose outcome is unknown.
  if (unknown > 0) return `${sentBefore}; nothing was sent.`;
  const whole = rows === 1 ? "it" : "all of them";
  const again =
    earlier === 0 || earlier === rows
      ? `Use --again to send ${whole} again.`
      : rejected > 0
        ? "Correct the rejected rows, then send the file with --only-new."
        : "--again sends all of them, including those already added.";
  return `${sentBefore}; nothing was sent. ${again}`;
}

function goesOnNote(done: number, rows: number): string {
  return `Resuming an earlier run: ${formatCount(done)} of ${countAnimals(rows)} done.`;
}

function unknownNote(unknown: number, retryUnknown: boolean): string[] {
  if (unknown === 0) return [];
  const which = `${countAnimals(unknown)} may or may not have been added by an earlier run`;
  const they = unknown === 1 ? "it is" : "they are";
  return [
    retryUnknown
      ? `${which}; ${they} sent again (--retry-unknown).`
      : `${which}; ${they} not sent again.`,
  ];
}

/** Returns the line printed after `--dry-run`: how many of `rows` would be sent. */
export function dryRunNote(wouldSend: number, rows: number, invalid = 0): string {
  const which = wouldSend === rows ? "" : ` of ${formatCount(rows)}`;
  const valid =
    invalid === 0 ? "All rows are valid" : `${formatCount(rows - invalid)} rows are valid`;
  return `${valid}; ${formatCount(wouldSend)}${which} would be sent (dry run).`;
}
