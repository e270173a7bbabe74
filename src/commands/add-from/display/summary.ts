import type { RunTotals } from "../../../bulk/types.ts";
import { Failure } from "../../../core/errors.ts";
import { addedOf, countAnimals, formatCount, formatTook } from "../../../output/text/format.ts";
import { shellCommand } from "../../../output/text/shell-quote.ts";

/** The command line that a run was started with. */
export interface OriginalCommand {
  /** The arguments behind the program's name, as they were typed. */
  readonly argv: readonly string[];
  /** Whether the input came from standard input or a pipe, and so has to be given again. */
  readonly isReadOnce: boolean;
  readonly platform: NodeJS.Platform;
}

/**
 * What is told at the end: how many rows ended in which way, how long the run took (ms), and how what
 * is left can be finished, unless there is no `command` that does; a line each.
 */
export function summaryLines(
  tally: RunTotals,
  tookMs: number,
  command: OriginalCommand | undefined,
): string[] {
  const { rows, added, earlier } = tally;
  const some = added === 0 ? "" : `${formatCount(earlier)} of them `;
  const who = earlier === 0 ? "" : ` (${some}by earlier runs)`;
  const done = `${addedOf(added + earlier, rows)}${who}`;
  return [
    `${[done, ...notAdded(tally)].join(", ")}; this run took ${formatTook(tookMs)}.`,
    ...(command === undefined ? [] : nextSteps(tally, command)),
  ];
}

/** What is left to do, and how: a line each; none when all is done. */
function nextSteps(tally: RunTotals, command: OriginalCommand): string[] {
  const { notSent, unknown, rejected } = tally;
  const goOn = command.isReadOnce ? ", give the same input again to" : "";
  return [
    ...(notSent > 0 ? [`To send the rest${goOn}: ${resumeCommand(command, false)}`] : []),
    ...(unknown > 0
      ? [
          "Unknown means that the animal may or may not have been added: look with `pets list`.",
          `To send those again, which adds twice what was added${goOn}: ${resumeCommand(command, true)}`,
        ]
      : []),
    ...(rejected > 0
      ? [
          "What was rejected is not sent again. Put those rows, corrected, into a file of their own: this file, once changed, would be sent from its start.",
        ]
      : []),
  ];
}

/** Each way of not being added that rows ended in, with how many did: `5 rejected`. */
function notAdded({ rejected, unknown, notSent }: RunTotals): string[] {
  const ways: readonly (readonly [number, string])[] = [
    [rejected, "rejected"],
    [unknown, "unknown"],
    [notSent, "not sent"],
  ];
  return ways.flatMap(([number, how]) => (number > 0 ? [`${formatCount(number)} ${how}`] : []));
}

/** What a shell makes of `<(command)`, for as long as that command line runs. */
const fdPath = /^(--from=)?\/(?:dev|proc\/self)\/fd\/\d+$/;

/** The command as it was given, without what would begin anew, or is there no more. */
function resumeCommand(
  { argv, platform, isReadOnce }: OriginalCommand,
  retryUnknown: boolean,
): string {
  const isValue = (i: number): boolean => argv[i - 1] === "--from";
  const words = argv.filter((word, i) => isValue(i) || word !== "--again");
  const kept = isReadOnce ? words.map((word) => word.replace(fdPath, "$1-")) : words;
  const has = kept.includes("--retry-unknown");
  return shellCommand(
    ["pets", ...kept, ...(retryUnknown && !has ? ["--retry-unknown"] : [])],
    platform,
  );
}

/** The Failure of a run that reached its end where not all rows were added; undefined where they were. */
export function partialFailure(tally: RunTotals): Failure | undefined {
  const ways = notAdded(tally);
  if (ways.length === 0) return undefined;
  const which = `${ways.join(", ")} of ${formatCount(tally.rows)}`;
  return new Failure("partial", `not every animal was added: ${which}`, { retryable: true });
}

/**
 * The Failure of a run that was stopped by `reason`. The journal makes the same command harmless,
 * unless the input, or the journal itself, is not what it was.
 */
export function stoppedFailure(reason: Failure, tally: RunTotals): Failure {
  const { kind, code, facts } = reason;
  const { attempts: _ofOneRow, ...rest } = facts;
  // The gate says so of the one request that it held back.
  const what = reason.message.replace(/; nothing was sent$/, "");
  const sent =
    tally.notSent === 0 ? "every animal sent" : `${countAnimals(tally.notSent)} not sent`;
  return new Failure(kind, `the run stopped with ${sent}: ${what}`, {
    ...rest,
    code,
    retryable: kind !== "io" || facts.retryable !== false,
  });
}
