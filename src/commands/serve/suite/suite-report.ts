import { escapeControls } from "../../../core/sanitize.ts";
import type { Column } from "../../../output/columns.ts";
import { wrap } from "../../../output/text/wrap.ts";
import type { ScenarioVerdict } from "./judge-scenario.ts";

/** How a command did in a scenario. */
export interface ScenarioReport extends ScenarioVerdict {
  readonly scenario: string;
  readonly advice: string;
  readonly requests: number;
  /** Null if the command was ended. */
  readonly exitCode: number | null;
  readonly durationMs: number;
}

/** The columns of the results. */
export const resultColumns: readonly Column[] = [
  { field: "scenario", header: "SCENARIO", kind: "number" },
  { field: "result", header: "RESULT", kind: "number" },
  { field: "requests", header: "REQUESTS", kind: "number" },
  { field: "exitCode", header: "EXIT", kind: "number" },
  { field: "problem", header: "PROBLEM", kind: "text" },
];

/** The columns of `--list`. */
export const scenarioColumns: readonly Column[] = [
  { field: "scenario", header: "SCENARIO", kind: "number" },
  { field: "advice", header: "ADVICE", kind: "text" },
];

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

/** The exit code of the suite: 1 if a scenario failed, 2 if none was reached. */
export function suiteExitCode(reports: readonly ScenarioReport[]): number {
  if (reports.some(({ result }) => result === "failed")) return 1;
  return reports.every(({ result }) => result === "not reached") ? 2 : 0;
}

/** Returns the results in the format of JUnit, which CI systems show; one test case a scenario. */
export function junitXml(reports: readonly ScenarioReport[]): string {
  const count = (wanted: string): number =>
    reports.filter(({ result }) => result === wanted).length;
  const time = seconds(reports.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const totals = `tests="${reports.length}" failures="${count("failed")}" skipped="${count("not reached")}" time="${time}"`;
  const cases = reports.map(
    (report) =>
      `    <testcase classname="pets" name="${xmlText(report.scenario)}" time="${seconds(report.durationMs)}">${caseContent(report)}</testcase>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite name="pets serve --suite" ${totals}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
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

/** Returns `text` for XML 1.0, which most control characters may not be in. */
function xmlText(text: string): string {
  const lines = text.split("\n").map(escapeControls).join("\n");
  return lines.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
