import type { Environment } from "../../../platform/io.ts";
import type { EndedExchange } from "../../../server/http/exchange.ts";
import { factsOf, retryTime } from "../../../server/judge/listener.ts";
import { keyRecord, makeKey } from "../../../server/keys.ts";
import { parseScript } from "../../../server/lab/script.ts";
import type { Plan } from "../../../server/rate-limits/plans.ts";
import type { Context } from "../../context.ts";
import { clientEnvironment } from "../child/child-environment.ts";
import { parsePlanOption, type ServeSettings } from "../settings/settings.ts";
import { type Service, startService } from "../start-service.ts";
import { judgeScenario, type ScenarioRequest, type ScenarioRun } from "./judge-scenario.ts";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioReport } from "./suite-report.ts";

/** Runs a client with variables; returns its exit code, null if it took too long. */
type RunClient = (env: Environment) => Promise<number | null>;

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
  { plan: planText = "enterprise", banMs, script = [], before }: Scenario,
  runClient: RunClient,
): Promise<ScenarioRun> {
  const plan = parsePlanOption(planText);
  const steps = script.flatMap((step) => parseScript(JSON.stringify(step)));
  const ended: ScenarioRequest[] = [];
  const service = await startService(
    context,
    { ...settings, plans: [plan], script: steps, ...(banMs !== undefined && { ban: banMs }) },
    { listener: (exchange) => void (exchange.isService && ended.push(requestOf(exchange))) },
  );
  let exitCode: number | null;
  try {
    if (before === "ban") await banKey(service, plan, context.clock.now());
    const [issued] = service.keys;
    const key = before === "revoke" ? { ...issued, apiKey: makeKey() } : issued;
    exitCode = await runClient(clientEnvironment(context, { ...service, keys: [key] }));
  } finally {
    await service.stop();
  }
  const requests = ended.toSorted((one, other) => one.arrivedAt - other.arrivedAt);
  return { requests, taken: service.steps().map(({ taken }) => taken), exitCode };
}

/** Uses up the plan of the store's key, and more, until the key is banned. */
async function banKey(
  { limits, keys: [{ apiKey }] }: Service,
  plan: Plan,
  now: number,
): Promise<void> {
  const { id } = keyRecord(apiKey, plan.name);
  for (;;) {
    const decision = await limits?.admit(id, plan, now, true);
    if (decision?.allowed !== true && decision?.code !== "rate_limited") return;
  }
}

/** Returns what the suite judges of a request that has ended. */
function requestOf(exchange: EndedExchange): ScenarioRequest {
  const { sent, body } = exchange;
  return {
    ...factsOf(exchange),
    body: body instanceof Uint8Array ? Buffer.from(body).toString() : undefined,
    retryAt: sent?.status === 503 ? retryTime(exchange) : undefined,
    isUsedUp: sent?.headers["X-RateLimit-Remaining"] === "0",
  };
}
