import type { RunTotals } from "../../../imports/types.ts";
import { Failure } from "../../../core/errors.ts";
import { formatCount } from "../../../core/format.ts";
import { addedOf, countAnimals, formatTook } from "../../../output/text/format.ts";
import { shellCommand } from "../../../core/shell-quote.ts";

/** The command line that a run was started with. */
export interface OriginalCommand {
  /** The arguments after the program's name, as typed. */
  readonly argv: readonly string[];
  /** Whether the input came from standard input or a pipe, so that it must be provided again. */
  readonly isReadOnce: boolean;
  readonly platform: NodeJS.Platform;
}

/**
 * Returns the lines printed at the end: how many rows ended in which way, how long the run took (in
 * ms), and how to finish the rest; without `command` that is impossible.
 */
export function summaryLines(
  totals: RunTotals,
  tookMs: number,
  command: OriginalCommand | undefined,
): string[] {
  const { rows, added, earlier } = totals;
  const some = added === 0 ? "" : `${formatCount(earlier)} of them `;
  const who = earlier === 0 ? "" : ` (${some}by earlier runs)`;
  const done = `${addedOf(added + earlier, rows)}${who}`;
  return [
    `${[done, ...knownEarlier(totals), ...notAdded(totals)].join(", ")}; this run took ${formatTook(tookMs)}.`,
    ...(command === undefined ? [] : nextSteps(totals, command)),
  ];
}

/** Returns a line for each remaining step, with its command. */
function nextSteps(totals: RunTotals, command: OriginalCommand): string[] {
  const { notSent, unknown, rejected } = totals;
  const goOn = command.isReadOnce ? ", give the same input to" : "";
  return [
    ...(notSent > 0 ? [`To send the rest${goOn}: ${commandWith(command)}`] : []),
    ...(unknown > 0
      ? [
          "Unknown: the animal may or may not have been added.",
          `To look it up in the lists${goOn}: ${commandWith(command, "--check-unknown")}`,
          `To send them again (may create duplicates)${goOn}: ${commandWith(command, "--retry-unknown")}`,
        ]
      : []),
    ...(rejected > 0
      ? ["Rejected rows are not sent again. Correct them, then send the file with --only-new."]
      : []),
  ];
}

/** Returns how many rows were left out because earlier files had them: `3 known from earlier files`. */
export function knownEarlier({ known }: Pick<RunTotals, "known">): string[] {
  return known > 0 ? [`${formatCount(known)} known from earlier files`] : [];
}

/** Returns how many rows ended in each way other than added: `5 rejected`. */
function notAdded({ rejected, unknown, notSent }: RunTotals): string[] {
  const ways: readonly (readonly [number, string])[] = [
    [rejected, "rejected"],
    [unknown, "unknown"],
    [notSent, "not sent"],
  ];
  return ways.flatMap(([number, how]) => (number > 0 ? [`${formatCount(number)} ${how}`] : []));
}

/** Matches the path that a shell substitutes for `<(command)`; it exists only while that command line runs. */
const fdPath = /^(--from=)?\/(?:dev|proc\/self)\/fd\/\d+$/;

/** Flags for a single run: the next command does not repeat them. */
const onceFlags = new Set(["--again", "--check-unknown"]);

/**
 * Returns the original command with `flag`, without what would restart the input or no longer exists.
 */
export function commandWith(command: OriginalCommand, flag?: string): string {
  const { argv, platform, isReadOnce } = command;
  const isValue = (i: number): boolean => argv[i - 1] === "--from";
  const words = argv.filter(
    (word, i) =>
      isValue(i) ||
      !(
        onceFlags.has(word) ||
        word === flag ||
        (flag === "--check-unknown" && word === "--retry-unknown")
      ),
  );
  const kept = isReadOnce ? words.map((word) => word.replace(fdPath, "$1-")) : words;
  return shellCommand(["pets", ...kept, ...(flag === undefined ? [] : [flag])], platform);
}

/** Returns the Failure of a run that reached its end; undefined if every row was added. */
export function partialFailure(totals: RunTotals): Failure | undefined {
  const ways = notAdded(totals);
  if (ways.length === 0) return undefined;
  const which = `${ways.join(", ")} of ${formatCount(totals.rows)}`;
  return new Failure("partial", `not every animal was added: ${which}`, { retryable: true });
}

/**
 * Returns the Failure of a run that was stopped by `reason`. Because of the journal it is safe to
 * give the same command again, unless the input or the journal itself has changed.
 */
export function stoppedFailure(reason: Failure, totals: RunTotals): Failure {
  const { kind, code, facts } = reason;
  const { attempts: _ofOneRow, ...rest } = facts;
  // True only for the one request that the rate limiter held back.
  const what = reason.message.replace(/; nothing was sent$/, "");
  const sent =
    totals.notSent === 0 ? "every animal sent" : `${countAnimals(totals.notSent)} not sent`;
  return new Failure(kind, `the run stopped with ${sent}: ${what}`, {
    ...rest,
    code,
    retryable: kind !== "io" || facts.retryable !== false,
  });
}
