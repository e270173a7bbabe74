import type { RunTotals } from "../../../imports/types.ts";
import { Failure } from "../../../core/errors.ts";
import { formatCount } from "../../../core/format.ts";
import { countAnimals, formatTook } from "../../../output/text/format.ts";
import { shellCommand } from "../../../core/shell-quote.ts";

/** The command line that a run was started with. */
export interface OriginalCommand {
  /** The arguments after the program's name, as typed. */
  readonly argv: readonly string[];
  /** Whether the input came from standard input or a pipe, so that it must be provided again. */
  readonly isReadOnce: boolean;
  readonly platform: NodeJS.Platform;
}

/** What the summary of a run depends on besides its totals. */
interface SummaryOptions {
  readonly tookMs: number;
  /** Left out if the same command can't finish the run. */
  readonly command: OriginalCommand | undefined;
  /** Whether the rows in doubt were looked up. */
  readonly checkUnknown: boolean;
}

/** Returns the lines printed at the end: how many rows ended in which way, and how to finish the rest. */
export function summaryLines(totals: RunTotals, options: SummaryOptions): string[] {
  const { rows, added, earlier } = totals;
  const some = added === 0 ? "" : `${formatCount(earlier)} `;
  const who = earlier === 0 ? "" : ` (${some}by earlier runs)`;
  const others = [...leftOut(totals), ...notAdded(totals)].join(", ");
  const done = `Added ${formatCount(added + earlier)} of ${countAnimals(rows)}${who} in ${formatTook(options.tookMs)}`;
  return [`${done}${others === "" ? "" : `; ${others}`}.`, ...nextSteps(totals, options)];
}

/** Returns a line for each remaining step, with its command. */
function nextSteps(totals: RunTotals, { command, checkUnknown }: SummaryOptions): string[] {
  if (command === undefined) return [];
  const { notSent, unknown, rejected, changed } = totals;
  const same = command.isReadOnce ? ", give the same input to" : "";
  const them = unknown === 1 ? "it" : "them";
  const doubt = checkUnknown
    ? `${countAnimals(unknown)} may or may not have been added: the lists do not show ${them}.`
    : `${countAnimals(unknown)} may or may not have been added.`;
  return [
    ...(notSent > 0 ? [`To send the rest${same}: ${commandWith(command)}`] : []),
    ...(unknown > 0 ? [doubt] : []),
    ...(unknown > 0 && !checkUnknown
      ? [`To look ${them} up${same}: ${commandWith(command, "--check-unknown")}`]
      : []),
    ...(unknown > 0
      ? [
          `To send ${them} again (may create duplicates)${same}: ${commandWith(command, "--retry-unknown")}`,
        ]
      : []),
    ...(changed > 0
      ? [`To add the changed animals as well${same}: ${commandWith(command, "--add-changed")}`]
      : []),
    ...(rejected > 0
      ? ["Rejected rows are not sent again. Correct them, then send the file with --only-new."]
      : []),
  ];
}

/** Returns how many rows were left out because of earlier files: `3 known from earlier files`. */
export function leftOut({ known, changed }: Pick<RunTotals, "known" | "changed">): string[] {
  return [
    ...(known > 0 ? [`${formatCount(known)} known from earlier files`] : []),
    ...(changed > 0 ? [`${formatCount(changed)} changed since earlier files`] : []),
  ];
}

/** Returns how many rows ended in each way other than added: `5 rejected`. */
function notAdded({ rejected, unknown, notSent, invalid }: RunTotals): string[] {
  const ways: readonly (readonly [number, string])[] = [
    [rejected, "rejected"],
    [unknown, "unknown"],
    [notSent, "not sent"],
    [invalid, "invalid"],
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
  const { rows, rejected, unknown, notSent, invalid } = totals;
  const ways: readonly (readonly [number, readonly [one: string, many: string]])[] = [
    [rejected, ["was rejected", "were rejected"]],
    [unknown, ["has an unknown outcome", "have an unknown outcome"]],
    [notSent, ["was not sent", "were not sent"]],
    [invalid, ["is invalid", "are invalid"]],
  ];
  const found = ways.filter(([number]) => number > 0);
  if (found.length === 0) return undefined;
  const parts = found.map(([number, [one, many]], place) => {
    const of = place === 0 ? ` of ${countAnimals(rows)}` : "";
    return `${formatCount(number)}${of} ${number === 1 ? one : many}`;
  });
  return new Failure("partial", `not every animal was added: ${parts.join(", ")}`, {
    retryable: true,
  });
}

/**
 * Returns the Failure of a run that was stopped by `reason`. As all is recorded, it is safe to
 * give the same command again, unless the input itself has changed.
 */
export function stoppedFailure(reason: Failure, totals: RunTotals): Failure {
  const { kind, code, facts } = reason;
  const { attempts: _ofOneRow, ...rest } = facts;
  // True only for the one request that the rate limiter held back.
  const what = reason.message.replace(/; nothing was sent$/, "");
  const sent =
    totals.notSent === 0 ? "every animal sent" : `${countAnimals(totals.notSent)} not sent`;
  return new Failure(kind, `import stopped with ${sent}: ${what}`, {
    ...rest,
    code,
    retryable: kind !== "io" || facts.retryable !== false,
  });
}
