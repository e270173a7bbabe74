import { Failure } from "../../../core/errors.ts";
import { formatCount, formatPlace, formatTook, plural } from "../../../core/format.ts";
import { shellCommand } from "../../../core/shell-quote.ts";
import { rowsLeft } from "../../../imports/database/import-records.ts";
import type { RunAbort } from "../../../imports/run/import-run.ts";
import type { Row, RowCounts } from "../../../imports/types.ts";
import type { Context } from "../../context.ts";

/** How many rows a run added, and how the others ended; `earlier` counts those that earlier runs added. */
export interface RunTotals extends RowCounts {
  readonly earlier: number;
  /** How many were unknown when it began. */
  readonly inDoubt: number;
}

/** Returns the totals of a run by the recorded counts now and before it. */
export function totalsOf(now: RowCounts, before: RowCounts): RunTotals {
  const { added: earlier, unknown: inDoubt } = before;
  return { ...now, added: now.added - earlier, earlier, inDoubt };
}

/** Returns the line printed before a run: that it resumes an earlier one, or has nothing to send. */
export function startNote(totals: RunTotals, retryUnknown = false): string | undefined {
  const { rows, earlier, rejected, unknown, unsent } = totals;
  if (rows === 0) return "The input has no animals; nothing was sent.";
  const left = retryUnknown ? unsent + unknown : unsent;
  const done = earlier + rejected;
  if (left === 0 || done === 0) return undefined;
  return `Resuming: ${formatCount(done)} of ${plural(rows, "animal")} done earlier.`;
}

/** Returns a command line that continues an import, with flags for a single run. */
export type NextCommand = (...flags: readonly string[]) => string;

/** Matches the path that a shell substitutes for `<(command)`; it exists only while that command line runs. */
const fdPath = /^(--from=)?\/(?:dev|proc\/self)\/fd\/\d+$/;

/** Flags for a single run: the next command does not repeat them. */
const onceFlags = new Set(["--again", "--check-unknown", "--retry-unknown"]);

/** Returns the command line that the import was started with, as one that can be given again. */
export function nextCommand(
  { argv, program }: Pick<Context, "argv" | "program">,
  isReadOnce: boolean,
): NextCommand {
  const same = isReadOnce ? "give the same input to " : "";
  return (...flags) => {
    const dropped = new Set([...onceFlags, ...(flags.includes("--again") ? ["--only-new"] : [])]);
    const kept = argv.filter((word, i) => argv[i - 1] === "--from" || !dropped.has(word));
    const words = isReadOnce ? kept.map((word) => word.replace(fdPath, "$1-")) : kept;
    return same + shellCommand(["pets", ...words, ...flags], program.platform);
  };
}

/** What a run did: sent rows, looked unknown ones up (`--check-unknown`), or neither. */
export type RunKind = "sent" | "checked" | "nothing";

/**
 * Returns the lines printed at the end: what this run did, and how to finish the rest, unless the `next` command cannot;
 * `corrected` is the file in which invalid rows can be.
 */
export function summaryLines(
  totals: RunTotals,
  tookMs: number,
  kind: RunKind,
  next?: NextCommand,
  results?: string,
  corrected = results ?? "results.csv",
) {
  const { unknown, rejected, invalid } = totals;
  const unsent = rowsLeft(totals);
  const failed = rejected + invalid;
  const kinds = [rejected > 0 ? "rejected" : [], invalid > 0 ? "invalid" : []].flat();
  const which = `the ${kinds.join(" and ")} rows`;
  const them = unknown === 1 ? "it" : "them";
  const look =
    kind === "checked"
      ? `${plural(unknown, "animal")} may or may not be there: the lists do not show ${them}.`
      : `To look up what is unknown: ${next?.("--check-unknown")}`;
  const steps: readonly (readonly [number, string])[] = [
    [unsent, `To send the rest: ${next?.()}`],
    [unknown, look],
    [unknown, `To send ${them} again (may create duplicates): ${next?.("--retry-unknown")}`],
    [
      results === undefined ? failed : 0,
      `To get ${which} with their errors: ${next?.("--results", "results.csv")}`,
    ],
    [failed, `Correct ${which} in ${corrected}, then send it with \`--only-new\`.`],
  ];
  const shown = next === undefined ? [] : steps.filter(([count]) => count > 0);
  return [`${whatHappened(totals, tookMs, kind)}.`, ...shown.map(([, line]) => line)];
}

function whatHappened(totals: RunTotals, tookMs: number, kind: RunKind): string {
  const { rows, added, earlier, inDoubt, unknown } = totals;
  if (kind === "checked") return whatWasChecked(inDoubt, added, unknown);
  const others = counted(endings.map(([ending, how]) => [totals[ending], how]));
  if (earlier > 0) others.unshift(`${formatCount(earlier)} of ${formatCount(rows)} added earlier`);
  if (kind === "nothing") return `Nothing sent: ${others.join(", ")}`;
  const all = `Added ${formatCount(added)} of ${plural(rows, "animal")} in ${formatTook(tookMs)}`;
  return others.length === 0 ? all : `${all}; ${others.join(", ")}`;
}

/** Returns what became of rows that were unknown. */
export function whatWasChecked(rows: number, added: number, unknown: number): string {
  const parts = counted([
    [added, "added"],
    [rows - added - unknown, "not added"],
    [unknown, "unknown"],
  ]);
  return `Checked ${plural(rows, "animal")}: ${parts.join(", ")}`;
}

/** Returns how many rows ended in each way, without those in which none did. */
export const counted = (parts: readonly (readonly [count: number, how: string])[]): string[] =>
  parts.filter(([count]) => count > 0).map(([count, how]) => `${formatCount(count)} ${how}`);

/** How rows end that are not added, and what is said of one, and of many, where that is a failure. */
const endings = [
  ["known", "skipped (added by earlier files)"],
  ["changed", "skipped (changed since earlier files)"],
  ["rejected", "rejected", "was rejected", "were rejected"],
  ["unknown", "unknown", "has an unknown outcome", "have an unknown outcome"],
  ["waiting", "left to another import", "is left to another import", "are left to another import"],
  ["unsent", "not sent", "was not sent", "were not sent"],
  ["repeated", "repeated"],
  ["invalid", "invalid", "is invalid", "are invalid"],
] as const;

/** Returns what stopped a run, else a Failure if any row was not added, or may not have been. Keeps an internal error as it is. */
export function runFailure(totals: RunTotals, stopped: RunAbort["reason"]) {
  if (stopped?.error instanceof Failure) return stoppedFailure(stopped.error, totals, stopped.row);
  if (stopped !== undefined) return stopped.error;
  const failed = endings.filter(([ending, , one]) => one !== undefined && totals[ending] > 0);
  if (failed.length === 0) return undefined;
  const parts = failed.map(([ending, , one, many], place) => {
    const of = place === 0 ? ` of ${plural(totals.rows, "row")}` : "";
    return `${formatCount(totals[ending])}${of} ${totals[ending] === 1 ? one : many}`;
  });
  const isUnknown = failed.every(([ending]) => ending === "unknown");
  return new Failure(isUnknown ? "outcome_unknown" : "partial", parts.join(", "), {
    retryable: true,
  });
}

/** Returns the Failure of a run that was stopped: as all is recorded, the same command may be given again. */
function stoppedFailure(error: Failure, { unsent }: RunTotals, row?: Row): Failure {
  const { kind, code, message, facts } = error;
  const { attempts: _ofOneRow, ...rest } = facts;
  // Without a response, it is not about the row.
  const isOfRow = row !== undefined && facts.status !== undefined;
  const place = isOfRow ? `${formatPlace({ ...row, name: row.pet.name })}: ` : "";
  // True only for the one request that the rate limiter held back.
  const what = place + message.replace(/; nothing was sent$/, "");
  const sent = unsent === 0 ? "every animal sent" : `${plural(unsent, "animal")} not sent`;
  // If the input itself has changed, the same command fails again.
  const retryable = kind !== "io" || facts.retryable !== false;
  // A 4xx that is not about a row, such as a proxy's page: nothing in the input is wrong.
  const isStray = facts.status !== undefined && (kind === "rejected" || kind === "not_found");
  const strayCode = facts.hasErrorBody ? code : "bad_response";
  const [ownKind, ownCode] = isStray ? (["service", strayCode] as const) : ([kind, code] as const);
  const own = { ...rest, code: ownCode, retryable };
  return new Failure(ownKind, `import stopped with ${sent}: ${what}`, own);
}
