import { parseDuration } from "../../../core/duration.ts";
import type { Environment } from "../../../platform/io.ts";
import { makeKey } from "../../../server/keys.ts";
import { parseScript } from "../../../server/lab/script/parse-script.ts";
import type { Context } from "../../context.ts";
import { clientEnvironment } from "../child-environment.ts";
import { readFaultOptions } from "../fault-options.ts";
import { forgetLimits } from "../forget-limits.ts";
import { parsePlanFlag, type ServeSettings } from "../settings.ts";
import { startService } from "../start-service.ts";
import { banKey, banPath } from "./ban-key.ts";
import {
  judgeScenario,
  maxScenarioMs,
  type ScenarioRequest,
  type ScenarioRun,
} from "./judge-scenario.ts";
import { requestOf } from "./scenario-request.ts";
import { type Scenario, scriptText } from "./scenario.ts";
import type { ScenarioReport } from "./suite-report.ts";

/** Runs what is judged with these variables, at most so many ms; returns its exit code, null if it took longer. */
export type RunClient = (env: Environment, maxMs: number) => Promise<number | null>;

/** Runs a client in a scenario, on a store of its own with these settings. */
export async function runScenario(
  context: Context,
  settings: ServeSettings,
  scenario: Scenario,
  runClient: RunClient,
): Promise<ScenarioReport> {
  const { clock } = context;
  const startedAt = clock.monotonic();
  const run = await runOnStore(context, settings, scenario, runClient);
  return {
    scenario: scenario.name,
    ...judgeScenario(scenario, run),
    requests: run.requests.length,
    exitCode: run.exitCode,
    durationMs: Math.round(clock.monotonic() - startedAt),
    advice: scenario.advice,
  };
}

async function runOnStore(
  context: Context,
  settings: ServeSettings,
  scenario: Scenario,
  runClient: RunClient,
): Promise<ScenarioRun> {
  const ended: ScenarioRequest[] = [];
  const service = await startService(context, settingsOf(settings, scenario), {
    listener: (exchange) => {
      if (exchange.isService && exchange.target !== banPath) ended.push(requestOf(exchange));
    },
  });
  let exitCode: number | null;
  try {
    if (scenario.before === "ban") await banKey(service, context);
    const [{ apiKey }] = service.keys;
    const keys = [{ apiKey: scenario.before === "revoke" ? makeKey() : apiKey, plan: "" }] as const;
    exitCode = await runClient(clientEnvironment(context, { ...service, keys }), maxScenarioMs);
  } finally {
    await service.stop();
    forgetLimits(context, service);
  }
  const requests = ended.toSorted((one, other) => one.arrivedAt - other.arrivedAt);
  return { requests, taken: service.steps().map(({ taken }) => taken), exitCode };
}

/** Returns the settings of a store in memory, in which only the scenario makes trouble. */
function settingsOf(
  settings: ServeSettings,
  { plan, ban, script, ...scenario }: Scenario,
): ServeSettings {
  return {
    ...settings,
    plans: [parsePlanFlag(plan ?? "enterprise")],
    banMs: ban === undefined ? undefined : parseDuration(ban),
    script: script.length === 0 ? [] : parseScript(scriptText({ ...scenario, script })),
    faults: readFaultOptions({}, true),
  };
}
