import { parseDuration } from "../../../core/duration.ts";
import type { Environment } from "../../../platform/io.ts";
import { makeKey } from "../../../server/keys.ts";
import { parseScript } from "../../../server/lab/script/parse-script.ts";
import type { Context } from "../../context.ts";
import { childEnvironment, type Shim } from "../child-environment.ts";
import { readFaultOptions } from "../fault-options.ts";
import { forgetLimits } from "../forget-limits.ts";
import { parsePlanFlag, type ServeSettings } from "../settings.ts";
import { type Service, startService } from "../start-service.ts";
import { banKey, banPath } from "./ban-key.ts";
import {
  judgeScenario,
  maxScenarioMs,
  type ScenarioRequest,
  type ScenarioRun,
} from "./judge-scenario.ts";
import { runCommand } from "./run-command.ts";
import { requestOf } from "./scenario-request.ts";
import { type Scenario, scriptText } from "./scenario.ts";
import type { ScenarioReport } from "./suite-report.ts";

/** What all scenarios of a suite have in common. */
export interface SuiteParts {
  readonly settings: ServeSettings;
  readonly command: readonly [string, ...string[]];
  readonly shim: Shim;
}

/** Runs the command in a scenario, on a store of its own; its output goes to the file `log`. */
export async function runScenario(
  context: Context,
  parts: SuiteParts,
  scenario: Scenario,
  log: string,
): Promise<ScenarioReport> {
  const { clock } = context;
  const startedAt = clock.monotonic();
  const run = await runOnStore(context, parts, scenario, log);
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
  { settings, command, shim }: SuiteParts,
  scenario: Scenario,
  log: string,
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
    const env = environmentOf(context, service, scenario, shim);
    exitCode = await runCommand(context, { command, env, log, maxMs: maxScenarioMs });
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

function environmentOf(
  context: Context,
  service: Service,
  { before }: Scenario,
  { folder }: Shim,
): Environment {
  const env = childEnvironment(context, service, folder);
  return before === "revoke" ? { ...env, PETS_API_KEY: makeKey() } : env;
}
