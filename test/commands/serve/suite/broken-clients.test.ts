import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { clientEnvironment } from "../../../../src/commands/serve/child.ts";
import { readServeSettings } from "../../../../src/commands/serve/settings.ts";
import { runScenario } from "../../../../src/commands/serve/suite/run-suite.ts";
import { scenarios } from "../../../../src/commands/serve/suite/scenarios.ts";
import type { Clock, Environment } from "../../../../src/platform/io.ts";
import { systemClock } from "../../../support/command/machine.ts";
import { profileTest } from "../../profile-context.ts";

/** How a request ended: with a status, or without a whole response. */
interface Outcome {
  readonly method: string;
  readonly status: number;
  /** What the response said, as text. */
  readonly body: string;
  readonly retryAfter: string | undefined;
  /** Why there is no whole response. */
  readonly trouble?: "lost" | "cut off" | "no response in time";
}

/** What a client decides; each is the right decision unless a test replaces it. */
interface Habits {
  /** Returns how long to wait before the request is sent again, in ms; undefined to give up. */
  readonly retry: (outcome: Outcome, tries: number) => number | undefined;
  /** Returns the exit code when a request is given up. */
  readonly giveUp: (outcome: Outcome) => number;
  /** Whether the connection is used again. */
  readonly keepAlive: boolean;
}

/** Returns the wait that a response asks for, in ms; 300 if it does not. */
function askedWait({ retryAfter = "0.3" }: Outcome): number {
  const seconds = Number(retryAfter);
  return Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
}

const goodHabits: Habits = {
  retry: (outcome, tries) => {
    const { method, status, trouble } = outcome;
    const isFailedGet = method === "GET" && (trouble !== undefined || status >= 500);
    const isWorthIt = status === 429 || isFailedGet;
    return isWorthIt && tries < 6 ? askedWait(outcome) + 20 : undefined;
  },
  giveUp: () => 1,
  keepAlive: true,
};

const requests = [
  ["POST", "/pets"],
  ["GET", "/pets?limit=1"],
  ["GET", "/pets?limit=2"],
  ["GET", "/pets?limit=3"],
] as const;

/** Adds an animal, and lists animals three times, on one connection. Returns the exit code. */
async function runClient(env: Environment, habits: Habits): Promise<number> {
  const agent = new Agent({ keepAlive: habits.keepAlive, maxSockets: 1 });
  try {
    for (const [method, path] of requests) {
      let outcome = await send([method, path], env, agent);
      for (let tries = 1; ; tries += 1) {
        const wait = habits.retry(outcome, tries);
        if (wait === undefined) break;
        await sleep(wait);
        outcome = await send([method, path], env, agent);
      }
      const hasFailed = outcome.trouble !== undefined || outcome.status >= 400;
      const code = hasFailed ? habits.giveUp(outcome) : 0;
      if (code !== 0) return code;
    }
    return 0;
  } finally {
    agent.destroy();
  }
}

/** How many ticks of silence it bears: a pause of this whole process is one, and is not taken for the store's. */
const [patience, tickMs] = [20, 100];

function send(
  [method, path]: readonly [method: string, path: string],
  { PETS_BASE_URL = "", PETS_API_KEY = "" }: Environment,
  agent: Agent,
): Promise<Outcome> {
  const headers = {
    Authorization: `Bearer ${PETS_API_KEY}`,
    "Content-Type": "application/json",
  };
  return new Promise((resolve) => {
    let silentTicks = 0;
    const lost = { method, status: 0, body: "", retryAfter: undefined };
    const sent = request(`${PETS_BASE_URL}${path}`, { method, agent, headers }, (response) => {
      const { statusCode: status = 0, headers: said } = response;
      const outcome = { method, status, retryAfter: said["retry-after"] };
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
        silentTicks = 0;
      });
      response.once("error", () => resolve({ ...outcome, body, trouble: "cut off" }));
      response.once("end", () => resolve({ ...outcome, body }));
    });
    const timer = setInterval(() => {
      silentTicks += 1;
      if (silentTicks < patience) return;
      resolve({ ...lost, trouble: "no response in time" });
      sent.destroy();
    }, tickMs);
    sent.once("close", () => clearInterval(timer));
    sent.once("error", () => resolve({ ...lost, trouble: "lost" }));
    sent.end(method === "POST" ? '{"name":"Rex","categoryId":1}' : undefined);
  });
}

/** A clock so slow that what is sent again soon is early by it, also after a pause of this process. */
const slowClock: Clock = {
  ...systemClock,
  now: () => 1_800_000_000_000 + Math.floor(slowClock.monotonic()),
  monotonic: () => systemClock.monotonic() / 1000,
};

/** Runs a client in the scenarios that it is to fail, or in every one, all at once; returns those that it fails. */
async function judge(habits: Habits, red: string, clock: Clock): Promise<string> {
  const test = profileTest();
  const context = { ...test.context, clock, argv: ["serve", "--", "client"] };
  const settings = readServeSettings(context, ["client"], { page: false });
  const reports = await Promise.all(
    scenarios
      .filter(({ name }) => red === "" || red.split(" ").includes(name))
      .map((scenario) =>
        runScenario(context, settings, scenario, (service) =>
          runClient(clientEnvironment(context, service, "/shim"), habits),
        ),
      ),
  );
  // On a busy machine a window may end before it is used up: that scenario is not reached then.
  return reports
    .filter(({ result }) => result === "failed")
    .map(({ scenario }) => scenario)
    .join(" ");
}

type Match = (outcome: Outcome, tries: number) => boolean;

const nothing: Match = () => false;
const never = () => undefined;
const soon = () => 20;
const get =
  (status: number): Match =>
  (outcome) =>
    outcome.method === "GET" && outcome.status === status;
const post =
  (status: number): Match =>
  (outcome, tries) =>
    outcome.method === "POST" && outcome.status === status && tries < 4;
const lost =
  (method: string, trouble: Outcome["trouble"]): Match =>
  (outcome, tries) =>
    outcome.method === method && outcome.trouble === trouble && tries < 4;
const refusedWithout =
  (method: string): Match =>
  (outcome) =>
    outcome.method === method && outcome.status === 429 && outcome.retryAfter === undefined;
const hasDate = ({ retryAfter = "" }: Outcome): boolean => retryAfter.endsWith("GMT");
const isSecond = ({ retryAfter }: Outcome): boolean => retryAfter === "1";
const isScripted = ({ body }: Outcome): boolean => body.includes("scripted");
const isHtml = ({ body }: Outcome): boolean => body.startsWith("<");
const isBanned = ({ body }: Outcome): boolean => body.includes("key_banned");
const silentAt = (given: number) => ({
  giveUp: ({ status }: Outcome) => (status === given ? 0 : 1),
});

/** Clients that make another decision on some outcomes, and the scenarios that show it. */
const broken: [
  what: string,
  red: string,
  matches: Match,
  wait: (outcome: Outcome) => number | undefined,
  more?: Partial<Habits>,
][] = [
  ["does nothing wrong", "", nothing, never],
  [
    "does nothing wrong, on a connection for each request",
    "",
    nothing,
    never,
    { keepAlive: false },
  ],
  [
    "sends a refused GET again at once",
    "get-429-seconds get-429-twice",
    (o, tries) => get(429)(o, tries) && isSecond(o) && isScripted(o),
    soon,
  ],
  ["takes a date for no wait", "get-429-date", (o) => o.status === 429 && hasDate(o), soon],
  ["gives a GET up without Retry-After", "get-429-no-header", refusedWithout("GET"), never],
  [
    "waits once, but not twice",
    "get-429-twice",
    (o, tries) => get(429)(o, tries) && tries > 1 && !isBanned(o) && isSecond(o),
    never,
  ],
  [
    "never sends a refused POST again",
    "post-429-seconds post-429-no-header",
    (o) => post(429)(o, 1) && !isBanned(o),
    never,
  ],
  [
    "sends a refused POST again at once",
    "post-429-seconds",
    (o) => post(429)(o, 1) && isSecond(o) && !isBanned(o),
    soon,
  ],
  ["gives a POST up without Retry-After", "post-429-no-header", refusedWithout("POST"), never],
  ["does not wait for a ban to end", "ban", (o, tries) => isBanned(o) && tries < 3, soon],
  ["gives up when it is banned", "ban", isBanned, never],
  ["tries 401 again", "unauthorized", (o, tries) => o.status === 401 && tries < 5, soon],
  ["gives up at 500", "get-500", get(500), never],
  ["gives up at HTML", "get-502-html", (o, tries) => get(502)(o, tries) && isHtml(o), never],
  ["gives up at 503", "get-503 get-503-retry-after", get(503), never],
  [
    "does not wait for what is unavailable",
    "get-503-retry-after",
    (o, tries) => get(503)(o, tries) && o.retryAfter !== undefined,
    soon,
  ],
  ["gives up at 504", "get-504", get(504), never],
  ["gives up after a reset", "get-reset", lost("GET", "lost"), never, { keepAlive: false }],
  ["gives up when a response is cut off", "get-truncated", lost("GET", "cut off"), never],
  ["gives up without a response", "get-hang", lost("GET", "no response in time"), never],
  ["says nothing of a GET that failed", "get-504", get(504), never, silentAt(504)],
  ["posts again after a reset", "post-stored-reset", lost("POST", "lost"), soon],
  ["posts again what was cut off", "post-stored-truncated", lost("POST", "cut off"), soon],
  ["posts again without a response", "post-stored-hang", lost("POST", "no response in time"), soon],
  ["posts again after 500", "post-stored-500", post(500), soon],
  ["posts again after 502", "post-stored-502-html", post(502), askedWait],
  ["drops a refused POST in silence", "post-refused-503", nothing, never, silentAt(503)],
];

it.concurrent.each(broken)(
  "a client that %s fails %j",
  { timeout: 60_000 },
  async (_what, red, matches, wait, more) => {
    const retry: Habits["retry"] = (outcome, tries) =>
      matches(outcome, tries) ? wait(outcome) : goodHabits.retry(outcome, tries);
    const clock = wait === soon ? slowClock : systemClock;
    expect(await judge({ ...goodHabits, retry, ...more }, red, clock)).toBe(red);
  },
);
