import { closeSync, constants, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import { errorMessage, ioFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { formatCount, plural } from "../../core/format.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { ensurePrivateFile } from "../../platform/private-files.ts";
import type { Verdict } from "../../server/judge/judge.ts";

/** A report file, opened before anything is known. */
export interface ReportFile {
  /** Writes the report and closes the file. Throws an io Failure. */
  write(text: string): void;
}

/** Opens the file of `--report`, empty and with mode 0600. Throws an io Failure. */
export function openReport(file: string): ReportFile {
  const descriptor = withReportFailure(file, "opened", () => openPrivately(file));
  return {
    write: (text) =>
      withReportFailure(file, "written", () => {
        writeAll(descriptor, text);
        closeSync(descriptor);
      }),
  };
}

function openPrivately(file: string): number {
  ensurePrivateFile(file);
  // Otherwise opening a pipe without a reader would block.
  const { O_WRONLY, O_TRUNC, O_NONBLOCK } = constants;
  const descriptor = openSync(file, O_WRONLY | O_TRUNC | O_NONBLOCK);
  if (fstatSync(descriptor).isFile()) fchmodSync(descriptor, 0o600);
  return descriptor;
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

function withReportFailure<T>(file: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw ioFailure(`the report ${file} cannot be ${what}: ${errorMessage(error)}`, error);
  }
}

/** Returns the report as one line of JSON. */
export function reportJson({ requests, early, bans, duplicates, abandoned }: Verdict): string {
  return stringifyExact({ requests, early, bans, duplicates, abandoned });
}

/** The maximum number of duplicate animals that are named. */
const maxNamed = 10;

/** Returns the steps of a script that no request reached, as they were written. */
export function unreachedSteps(
  steps: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  return steps.flatMap(({ taken, ...step }, place) =>
    taken === 0 ? [`step ${place + 1} ${JSON.stringify(step)}`] : [],
  );
}

/** Returns the report in words, with the steps of the script that no request reached; the outcome comes last. */
export function reportText(verdict: Verdict, unreached: readonly string[] = []): string {
  const { early, bans, duplicates, abandoned } = verdict;
  const lines = [
    ["Requests", describeRequests(verdict.requests)],
    ["Early", early === 0 ? "none" : `${plural(early, "request")} sent before Retry-After elapsed`],
    ["Bans", bans === 0 ? "none" : formatCount(bans)],
    ["Added twice", duplicates.length === 0 ? "none" : describeDuplicates(duplicates)],
    [
      "Abandoned",
      abandoned === 0 ? "none" : `${plural(abandoned, "GET")} failed and never succeeded`,
    ],
  ];
  if (unreached.length > 0) lines.push(["Not reached", unreached.join(", ")]);
  const rows = lines.map(([title = "", text = ""]) => `${title.padEnd(13)}${text}`);
  const faults = describeFaults(verdict, unreached);
  const outcome = faults === "" ? "Check passed" : `Check failed: ${faults}`;
  return `${[...rows, outcome].map(escapeControls).join("\n")}\n`;
}

function describeRequests({ 0: unanswered = 0, ...answered }: Verdict["requests"]): string {
  const counts = Object.entries(answered);
  const total = counts.reduce((sum, [, count]) => sum + count, unanswered);
  if (total === 0) return "none";
  const parts = counts.map(([status, count]) => `${status}: ${formatCount(count)}`);
  if (unanswered > 0) parts.push(`no response: ${formatCount(unanswered)}`);
  return `${formatCount(total)} (${parts.join(", ")})`;
}

function describeDuplicates(duplicates: Verdict["duplicates"]): string {
  const named = duplicates
    .slice(0, maxNamed)
    .map(({ name, ids }) => `${JSON.stringify(name)} (ids ${ids.join(", ")})`);
  const more = duplicates.length - named.length;
  return [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(", ");
}

function describeFaults(
  { early, bans, duplicates }: Verdict,
  unreached: readonly string[],
): string {
  const reasons = [
    early > 0 && "requests sent too early",
    bans > 0 && "bans",
    duplicates.length > 0 && "animals added twice",
    unreached.length > 0 && "steps not reached",
  ];
  return reasons.filter((reason) => reason !== false).join("; ");
}
