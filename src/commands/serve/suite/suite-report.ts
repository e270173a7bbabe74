import { plural } from "../../../core/format.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import { number, text } from "../../../output/columns.ts";
import { wrap } from "../../../output/wrap.ts";
import type { ScenarioVerdict } from "./judge-scenario.ts";

export interface ScenarioReport extends ScenarioVerdict {
  readonly scenario: string;
  readonly advice: string;
  readonly requests: number;
  /** Null if the command was ended. */
  readonly exitCode: number | null;
  readonly durationMs: number;
}

export const resultColumns = [
  number("scenario"),
  number("result"),
  number("requests"),
  number("exitCode", "EXIT"),
  text("problem"),
];

export const scenarioColumns = [number("scenario"), text("advice")];

/** Returns the result of a scenario for a table: with its problems in words. */
export function resultRecord(report: ScenarioReport) {
  const problem = problemLines(report).join("; ");
  return { ...report, exitCode: report.exitCode ?? "", problem };
}

/** Returns all problems, by scenario, in lines of at most `width` columns: a table on a terminal cuts them. */
export function problemText(reports: readonly ScenarioReport[], width: number): string {
  const indented = (line: string): readonly string[] =>
    wrap(escapeControls(line), width - 2).map((part) => `  ${part}\n`);
  return reports
    .filter(({ problems }) => problems.length > 0)
    .map((report) => `\n${report.scenario}\n${problemLines(report).flatMap(indented).join("")}`)
    .join("");
}

function problemLines({ problems }: ScenarioReport): readonly string[] {
  return problems.map(({ did, should }) => `${did}; ${should}`);
}

function countOf(reports: readonly ScenarioReport[], wanted: ScenarioReport["result"]): number {
  return reports.filter(({ result }) => result === wanted).length;
}

/** Returns the exit code of the suite: 1 if a scenario failed, 2 if none was reached. */
export function suiteExitCode(reports: readonly ScenarioReport[]): number {
  if (countOf(reports, "failed") > 0) return 1;
  return countOf(reports, "not reached") === reports.length ? 2 : 0;
}

/** Returns how many scenarios ended in which way, as a sentence. */
export function suiteSummary(reports: readonly ScenarioReport[]): string {
  const parts = (["passed", "failed", "not reached"] as const)
    .map((result) => `${countOf(reports, result)} ${result}`)
    .filter((part) => !part.startsWith("0 "));
  return `${plural(reports.length, "scenario")}: ${parts.join(", ")}.`;
}

/** Returns the results in the format of JUnit, which CI systems show; one test case a scenario. */
export function junitXml(reports: readonly ScenarioReport[]): string {
  const time = seconds(reports.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const counts = `failures="${countOf(reports, "failed")}" skipped="${countOf(reports, "not reached")}"`;
  const totals = `tests="${reports.length}" ${counts} time="${time}"`;
  const cases = reports.map((report) => {
    const attributes = `name="${xmlText(report.scenario)}" time="${seconds(report.durationMs)}"`;
    return `    <testcase classname="pets" ${attributes}>${caseContent(report)}</testcase>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${totals}>
  <testsuite name="pets serve --suite" ${totals}>
${cases.join("")}  </testsuite>
</testsuites>
`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function caseContent(report: ScenarioReport): string {
  if (report.result === "not reached") return '<skipped message="no request reached it"/>';
  if (report.result === "passed") return "";
  const lines = problemLines(report);
  return `<failure message="${xmlText(lines[0] ?? "")}">${xmlText([...lines, report.advice].join("\n"))}</failure>`;
}

/** Returns `value` for XML 1.0, which most control characters may not be in. */
function xmlText(value: string): string {
  const lines = value.split("\n").map(escapeControls).join("\n");
  return lines.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
