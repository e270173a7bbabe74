import { describe, expect, it } from "vitest";
import {
  junitXml,
  problemText,
  resultRecord,
  type ScenarioReport,
  suiteExitCode,
} from "../../../../src/commands/serve/suite/suite-report.ts";

const report = (
  scenario: string,
  result: ScenarioReport["result"],
  more: Partial<ScenarioReport> = {},
): ScenarioReport => ({
  scenario,
  result,
  advice: "Wait.",
  requests: 2,
  exitCode: 0,
  durationMs: 1_234.5,
  problems: [],
  ...more,
});
const problems = [
  { request: 2, did: 'request 2 (GET /v1/pets?a="<&>\u0007") came', should: "wait" },
  { did: "the key was banned", should: "stop" },
];
const reports = [
  report("good", "passed"),
  report("bad", "failed", { problems, exitCode: null }),
  report("far", "not reached"),
];

it.each([
  [reports, 1],
  [reports.slice(0, 1), 0],
  [[...reports.slice(0, 1), ...reports.slice(2)], 0],
  [reports.slice(2), 2],
])("the exit code of %#", (some, code) => {
  expect(suiteExitCode(some)).toBe(code);
});

it("has all problems in a table", () => {
  expect(reports.map((each) => resultRecord(each).problem)).toEqual([
    "",
    `${problems[0]?.did}; wait; the key was banned; stop`,
    "",
  ]);
});

it("prints all problems in the width of a terminal", () => {
  expect(problemText(reports, 24)).toBe(`
bad
  request 2 (GET
  /v1/pets?a="<&>\\x07")
  came; wait
  the key was banned;
  stop
`);
});

describe("junitXml", () => {
  it("has a test case for each scenario", () => {
    expect(junitXml(reports)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" skipped="1" time="3.704">
  <testsuite name="pets serve --suite" tests="3" failures="1" skipped="1" time="3.704">
    <testcase classname="pets" name="good" time="1.234"></testcase>
    <testcase classname="pets" name="bad" time="1.234"><failure message="request 2 (GET /v1/pets?a=&#34;&#60;&#38;&#62;\\x07&#34;) came; wait">request 2 (GET /v1/pets?a=&#34;&#60;&#38;&#62;\\x07&#34;) came; wait
the key was banned; stop
Wait.</failure></testcase>
    <testcase classname="pets" name="far" time="1.234"><skipped message="no request reached it"/></testcase>
  </testsuite>
</testsuites>
`);
  });
});
