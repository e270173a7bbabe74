import { closeSync, constants, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { orIoFailure, usageFailure } from "../../../core/errors.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import { unknownText } from "../../../core/strings.ts";
import { isTable } from "../../../output/formats/index.ts";
import type { Environment } from "../../../platform/io.ts";
import { ensurePrivateFolder, openPrivateFile } from "../../../platform/private-files.ts";
import { endGroup } from "../../../platform/process-group.ts";
import type { Ended } from "../../../server/http/exchange.ts";
import { announcedWait, factsOf } from "../../../server/judge/facts.ts";
import { keyRecord, makeKey } from "../../../server/keys.ts";
import { parseScript } from "../../../server/lab/script.ts";
import { type Plan, planSyntax } from "../../../server/rate-limits/plans.ts";
import { readText } from "../../arguments.ts";
import type { Context } from "../../context.ts";
import { clientEnvironment } from "../child.ts";
import type { ServeOptions } from "../options.ts";
import { openReport } from "../output-file.ts";
import { writePathShim } from "../path-shim.ts";
import { type CommandEnd, printProblem, runChild } from "../run-child.ts";
import type { ChildCommand, ServeSettings } from "../settings.ts";
import { type Service, startService } from "../start-service.ts";
import { judgeScenario, maxScenarioMs, type ScenarioRequest } from "./judge-scenario.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import {
  junitXml,
  problemText,
  resultColumns,
  resultRecord,
  scenarioColumns,
  type ScenarioReport,
  suiteExitCode,
  suiteSummary,
} from "./suite-report.ts";

/** Prints the scenarios, or the chosen ones. Throws a usage Failure for an unknown name. */
export async function listScenarios(context: Context, { scenario }: ServeOptions): Promise<number> {
  const chosen = chooseScenarios(scenario);
  const rows = chosen.map(({ name, advice, script = [] }) => ({ scenario: name, advice, script }));
  await context.print(rows, { columns: scenarioColumns });
  return 0;
}

/** Runs the command once in each scenario, prints the results, and returns the exit code. Throws a Failure. */
export async function runSuite(
  context: Context,
  { scenario: names, logs, report }: ServeOptions,
  settings: ServeSettings,
  command: ChildCommand,
): Promise<number> {
  const chosen = chooseScenarios(names);
  const file = openReport(report);
  // A directory of the user's keeps its mode.
  if (logs !== undefined && !statSync(logs, { throwIfNoEntry: false })?.isDirectory())
    orIoFailure(`cannot create the directory ${logs}`, () => ensurePrivateFolder(logs));
  const shim = writePathShim(context);
  const reports: ScenarioReport[] = [];
  try {
    for (const scenario of chosen) {
      const log = path.join(logs ?? shim.folder, `${scenario.name}.log`);
      let ended: CommandEnd | undefined;
      const one = await runScenario(context, settings, scenario, async (service) => {
        const env = clientEnvironment(context, service, shim.folder);
        ended = await runCommand(context, command, env, log);
        return ended?.code ?? null;
      });
      if (ended?.problem !== undefined) {
        await printProblem(context, ended);
        return ended.code;
      }
      reports.push(one);
      if (context.stderr.isTTY)
        await context.note(`${reports.length}/${chosen.length} ${one.scenario}: ${one.result}`);
      if (one.result === "failed" && logs === undefined)
        await context.stderr.write(`--- ${one.scenario}\n${shownOutput(log)}`);
    }
  } finally {
    shim.remove();
  }
  const { stdout, settings: output } = context;
  await context.print(reports.map(resultRecord), { columns: resultColumns, json: reports });
  if (isTable(output) && output.fields === undefined && stdout.isTTY)
    await stdout.write(problemText(reports, stdout.columns ?? Infinity));
  if (isTable(output)) await context.note(suiteSummary(reports));
  const isXml = report?.endsWith(".xml") === true;
  file?.write(isXml ? junitXml(reports) : `${JSON.stringify(reports)}\n`);
  return suiteExitCode(reports);
}

function chooseScenarios(names?: readonly string[]): readonly Scenario[] {
  const known = scenarios.map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw usageFailure(
      unknownText("scenario", unknown, known, "--scenario"),
      "See `pets serve --suite --list`.",
    );
  return scenarios.filter(({ name }) => names?.includes(name) ?? true);
}

/** Runs a client in a scenario, on a new store. `runClient` returns its exit code; null if it took too long. */
export async function runScenario(
  context: Context,
  settings: ServeSettings,
  scenario: Scenario,
  runClient: (service: Service) => Promise<number | null>,
): Promise<ScenarioReport> {
  const { clock } = context;
  const { plan: planText = "enterprise", banMs, script = [], before } = scenario;
  const startedAt = clock.monotonic();
  const plan = readText("plan", planSyntax, planText);
  const steps = script.flatMap((step) => parseScript(JSON.stringify(step)));
  const ended: ScenarioRequest[] = [];
  const service = await startService(
    context,
    { ...settings, plans: [plan], script: steps, ...(banMs !== undefined && { ban: banMs }) },
    { listener: (each) => void (each.request.isService && ended.push(requestOf(each))) },
  );
  let exitCode: number | null;
  try {
    if (before === "ban") await banKey(service, plan);
    const [issued] = service.keys;
    const key = before === "revoke" ? { ...issued, apiKey: makeKey() } : issued;
    exitCode = await runClient({ ...service, keys: [key] });
  } finally {
    await service.stop();
  }
  const requests = ended.toSorted((one, other) => one.arrivedAt - other.arrivedAt);
  const taken = service.steps().map((step) => step.taken);
  const { outside } = service.verdict("start");
  return {
    scenario: scenario.name,
    ...judgeScenario(scenario, { requests, taken, outside, exitCode }),
    requests: requests.length,
    exitCode,
    durationMs: Math.round(clock.monotonic() - startedAt),
    advice: scenario.advice,
  };
}

/** Uses up the plan of the store's key, and more, until the key is banned. */
async function banKey({ limits, clock, keys: [{ apiKey }] }: Service, plan: Plan): Promise<void> {
  const { id } = keyRecord(apiKey, plan.name);
  for (;;) {
    const now = clock.moment();
    const decision = await limits?.admit(id, plan, { arrived: now, now }, true);
    if (decision?.allowed !== true && decision?.code !== "rate_limited") return;
  }
}

function requestOf(ended: Ended): ScenarioRequest {
  const { sent, body } = ended;
  return {
    ...factsOf(ended),
    body: body instanceof Uint8Array ? Buffer.from(body).toString() : undefined,
    retry: sent?.status === 503 ? announcedWait(ended) : undefined,
    isUsedUp: sent?.headers["X-RateLimit-Remaining"] === "0",
  };
}

const stopGraceMs = 250;

/** Runs the command; returns undefined if it took too long: then all its processes, a group of their own, are ended. */
async function runCommand(
  context: Context,
  command: ChildCommand,
  env: Environment,
  log: string,
): Promise<CommandEnd | undefined> {
  const { clock, signal, kill } = context;
  const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
  const fd = orIoFailure(`the log ${log} cannot be written`, () =>
    openPrivateFile(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND),
  );
  const done = new AbortController();
  try {
    let pid: number | undefined;
    const child = runChild(
      command,
      { env, detached: true, stdio: ["ignore", fd, fd] },
      (started) => void ({ pid } = started),
    );
    const tooLong = clock
      .sleep(maxScenarioMs, AbortSignal.any([signal, done.signal]))
      .catch(() => undefined);
    const ended = await Promise.race([child, tooLong]);
    if (ended === undefined && pid !== undefined) await endGroup(pid, kill, stopGraceMs);
    signal.throwIfAborted();
    return ended ?? undefined;
  } finally {
    done.abort();
    closeSync(fd);
  }
}

function shownOutput(log: string): string {
  const lines = readFileSync(log, "utf8").slice(-10_000).trimEnd().split("\n");
  return lines.map((line) => `${escapeControls(line)}\n`).join("");
}
