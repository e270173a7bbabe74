import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorMessage, ioFailure, usageFailure } from "../../../core/errors.ts";
import { plural } from "../../../core/format.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import { closeMatch } from "../../../core/strings.ts";
import { isJson, isTable } from "../../../output/formats/index.ts";
import type { Context } from "../../context.ts";
import { openPrinter } from "../../print.ts";
import { openReport } from "../check.ts";
import { withShim, writePathShim } from "../child-environment.ts";
import type { ServeSettings, SuiteSettings } from "../settings.ts";
import { runCommand } from "./run-command.ts";
import { runScenario } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";
import {
  junitXml,
  resultColumns,
  resultRecord,
  scenarioColumns,
  scenarioRecord,
  type ScenarioReport,
  suiteExitCode,
} from "./suite-report.ts";

/** Prints the scenarios. */
export async function listScenarios(context: Context, { names }: SuiteSettings): Promise<void> {
  const printer = await openPrinter(context, scenarioColumns);
  const chosen = chooseScenarios(names).map(scenarioRecord);
  await printer.print(chosen, { single: false, whole: isJson(context.settings) });
}

/**
 * Runs the command once in each scenario, prints the results, and returns the exit code of the suite. Throws a usage
 * Failure for an unknown scenario.
 */
export async function runSuite(
  context: Context,
  { names, logs, report }: SuiteSettings,
  settings: ServeSettings,
  command: readonly [string, ...string[]],
): Promise<number> {
  const chosen = chooseScenarios(names);
  const printer = await openPrinter(context, resultColumns);
  const file = report === undefined ? undefined : openReport(report);
  const folder = makeLogFolder(logs);
  const reports: ScenarioReport[] = [];
  try {
    const shim = writePathShim(context.program);
    try {
      for (const scenario of chosen) {
        const log = path.join(folder.path, `${scenario.name}.log`);
        const one = await runScenario(context, settings, scenario, (client, maxMs) => {
          const env = withShim(context, client, shim.folder);
          return runCommand(context, { command, env, log, maxMs });
        });
        reports.push(one);
        if (one.result === "failed" && logs === undefined) await showOutput(context, one, log);
      }
    } finally {
      shim.remove();
    }
  } finally {
    folder.remove();
  }
  const isWhole = isJson(context.settings) && printer.fields === undefined;
  await printer.print(isWhole ? reports : reports.map(resultRecord), {
    single: false,
    whole: isWhole,
  });
  if (isTable(context.settings)) await context.note(summary(reports));
  const isXml = report?.endsWith(".xml") === true;
  file?.write(isXml ? junitXml(reports) : `${JSON.stringify(reports)}\n`);
  return suiteExitCode(reports);
}

function chooseScenarios(names: readonly string[]): readonly Scenario[] {
  const known = scenarios.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = closeMatch(name, known);
    throw usageFailure(
      `--scenario: unknown ${JSON.stringify(name)}${meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`}`,
      "see `pets serve --suite --list`",
    );
  }
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

/** Makes the directory for the output of the commands: a temporary one unless it is given. */
function makeLogFolder(logs: string | undefined) {
  try {
    if (logs === undefined) {
      const temporary = mkdtempSync(path.join(tmpdir(), "pets-suite-"));
      return { path: temporary, remove: () => rmSync(temporary, { recursive: true, force: true }) };
    }
    mkdirSync(logs, { recursive: true });
    return { path: logs, remove: () => {} };
  } catch (error) {
    throw ioFailure(`the directory for logs cannot be made: ${errorMessage(error)}`, error);
  }
}

/** How much of a command's output is shown, in characters. */
const maxShown = 10_000;

async function showOutput(
  context: Context,
  { scenario }: ScenarioReport,
  log: string,
): Promise<void> {
  const lines = readFileSync(log, "utf8").slice(-maxShown).trimEnd().split("\n");
  const text = [`--- ${scenario}`, ...lines].map((line) => `${escapeControls(line)}\n`).join("");
  await context.stderr.write(text);
}

function summary(reports: readonly ScenarioReport[]): string {
  const counts = Map.groupBy(reports, ({ result }) => result);
  const parts = (["passed", "failed", "not reached"] as const).flatMap((result) => {
    const count = counts.get(result)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${result}`];
  });
  return `${plural(reports.length, "scenario")}: ${parts.join(", ")}.`;
}
