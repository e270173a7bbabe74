import { formatCount, plural } from "../../core/format.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { escapeControls } from "../../core/sanitize.ts";
import type { Counts } from "../../server/judge/counts.ts";
import type { Verdict } from "../../server/judge/judge.ts";
import type { ListedStep } from "../../server/lab/script.ts";

/** Returns the report on the clients of a store, as JSON and in words, and the exit code of a check; `problem` is what else failed. */
export function clientReport(verdict: Verdict, steps: readonly ListedStep[], problem = "") {
  const { requests, early, bans, duplicates, abandoned, outside, parameters, malformed } = verdict;
  const isUnused = Object.keys(requests).length === 0;
  const unreached = describeUnreached(steps);
  const misdirected = describeCounts(outside);
  const ignored = describeCounts(parameters, (name) => JSON.stringify(name));
  const sentEarly = early > 0 && `${plural(early, "request")} sent before Retry-After elapsed`;
  const abandonedGets = abandoned > 0 && `${plural(abandoned, "GET")} failed and never succeeded`;
  const lines = [
    ["Requests", describeRequests(requests) || "none"],
    ["Early", sentEarly || "none"],
    ["Bans", bans > 0 ? formatCount(bans) : "none"],
    ["Added twice", describeDuplicates(duplicates) || "none"],
    ["Abandoned", abandonedGets || "none"],
    ["Outside /v1", misdirected],
    ["Parameters", ignored && `unknown and ignored: ${ignored}`],
    ["Malformed", describeCounts(malformed)],
    ["Not reached", unreached],
  ].flatMap(([label = "", text = ""]) => (text === "" ? [] : [label.padEnd(13) + text]));
  const faults = [
    isUnused && (misdirected ? "no request was below /v1" : "no request reached the store"),
    early > 0 && "requests sent too early",
    bans > 0 && "bans",
    duplicates.length > 0 && "animals added twice",
    !isUnused && unreached !== "" && "steps not reached",
  ].filter((fault) => fault !== false);
  const passed = problem === "" ? "Check passed" : `Check passed, but ${problem}`;
  const outcome = faults.length > 0 ? `Check failed: ${faults.join("; ")}` : passed;
  return {
    json: `${stringifyExact(verdict)}\n`,
    text: `${[...lines, outcome].map(escapeControls).join("\n")}\n`,
    exitCode: isUnused ? 2 : Math.min(faults.length, 1),
  };
}

/** Returns the steps of a script that no request has taken, as text. */
export function describeUnreached(steps: readonly ListedStep[]): string {
  const unreached = steps.flatMap(({ taken, ...step }, place) =>
    taken === 0 ? [`step ${place + 1} ${JSON.stringify(step)}`] : [],
  );
  return unreached.join(", ");
}

function describeRequests({ 0: unanswered = 0, ...answered }: Verdict["requests"]): string {
  const counts = Object.entries(answered);
  const total = counts.reduce((sum, [, count]) => sum + count, unanswered);
  if (total === 0) return "";
  const parts = counts.map(([status, count]) => `${status}: ${formatCount(count)}`);
  if (unanswered > 0) parts.push(`no response: ${formatCount(unanswered)}`);
  return `${formatCount(total)} (${parts.join(", ")})`;
}

function describeCounts(counts: Counts, show = (text: string) => text): string {
  return listed(Object.entries(counts), ([text, count]) => `${show(text)}: ${formatCount(count)}`);
}

function describeDuplicates(duplicates: Verdict["duplicates"]): string {
  return listed(duplicates, ({ name, ids }) => `${JSON.stringify(name)} (ids ${ids.join(", ")})`);
}

const maxNamed = 10;

function listed<Item>(items: readonly Item[], show: (item: Item) => string): string {
  const more = items.length - maxNamed;
  const rest = more > 0 ? [`and ${formatCount(more)} more`] : [];
  return [...items.slice(0, maxNamed).map(show), ...rest].join(", ");
}
