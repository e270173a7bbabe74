import { describe, expect, it } from "vitest";
import { readServeSettings } from "../../../../src/commands/serve/settings.ts";
import { runScenario } from "../../../../src/commands/serve/suite/run-suite.ts";
import { scenarios } from "../../../../src/commands/serve/suite/scenarios.ts";
import { systemClock } from "../../../support/command/machine.ts";
import { profileTest } from "../../profile-context.ts";
import { askedWait, goodHabits, type Habits, type Outcome, runClient } from "./client.ts";

/** Runs a client in every scenario, all at once; returns those that it does not pass. */
async function judge(habits: Partial<Habits>): Promise<readonly string[]> {
  const test = profileTest();
  const context = { ...test.context, clock: systemClock };
  const settings = readServeSettings({ ...context, argv: ["serve", "--", "client"] }, ["client"], {
    page: false,
  });
  const reports = await Promise.all(
    scenarios.map((scenario) =>
      runScenario(context, settings, scenario, (env) =>
        runClient(env, { ...goodHabits, ...habits }),
      ),
    ),
  );
  return reports
    .filter(({ result }) => result !== "passed")
    .map(({ scenario, result }) => (result === "failed" ? scenario : `${scenario} ${result}`));
}

/** Returns habits with another decision on the outcomes that `matches`. */
function retrying(
  matches: (outcome: Outcome, tries: number) => boolean,
  wait: (outcome: Outcome) => number | undefined,
): Partial<Habits> {
  return {
    retry: (outcome, tries) =>
      matches(outcome, tries) ? wait(outcome) : goodHabits.retry(outcome, tries),
  };
}

const never = () => undefined;
const soon = () => 20;
const get = (status: number) => (outcome: Outcome) =>
  outcome.method === "GET" && outcome.status === status;
const post = (status: number) => (outcome: Outcome, tries: number) =>
  outcome.method === "POST" && outcome.status === status && tries < 4;
const lost = (method: string, trouble: Outcome["trouble"]) => (outcome: Outcome, tries: number) =>
  outcome.method === method && outcome.trouble === trouble && tries < 4;
const hasDate = ({ retryAfter = "" }: Outcome): boolean => retryAfter.endsWith("GMT");
const isScripted = ({ body }: Outcome): boolean => body.includes("scripted");
const isHtml = ({ body }: Outcome): boolean => body.startsWith("<");
const isBanned = ({ body }: Outcome): boolean => body.includes("key_banned");
const refusedWithout = (method: string) => (outcome: Outcome) =>
  outcome.method === method && outcome.status === 429 && outcome.retryAfter === undefined;

/** Clients that do one thing wrong, and the scenarios that show it. */
const broken: readonly (readonly [
  what: string,
  habits: Partial<Habits>,
  red: readonly string[],
])[] = [
  ["does nothing wrong", {}, []],
  ["does nothing wrong, on a connection for each request", { keepAlive: false }, []],
  [
    "sends a refused GET again at once",
    retrying((o) => get(429)(o) && o.retryAfter === "1" && isScripted(o), soon),
    ["get-429-seconds", "get-429-twice"],
  ],
  [
    "takes a date for no wait",
    retrying((o) => o.status === 429 && hasDate(o), soon),
    ["get-429-date"],
  ],
  [
    "gives a GET up that is refused without Retry-After",
    retrying(refusedWithout("GET"), never),
    ["get-429-no-header"],
  ],
  [
    "waits once, but not twice",
    retrying((o, tries) => get(429)(o) && tries > 1 && !isBanned(o) && o.retryAfter === "1", never),
    ["get-429-twice"],
  ],
  [
    "never sends a refused POST again",
    retrying((o) => post(429)(o, 1) && !isBanned(o), never),
    ["post-429-seconds", "post-429-no-header"],
  ],
  [
    "sends a refused POST again at once",
    retrying((o) => post(429)(o, 1) && o.retryAfter === "1" && !isBanned(o), soon),
    ["post-429-seconds"],
  ],
  [
    "gives a POST up that is refused without Retry-After",
    retrying(refusedWithout("POST"), never),
    ["post-429-no-header"],
  ],
  [
    "does not wait for a ban to end",
    retrying((o, tries) => isBanned(o) && tries < 3, soon),
    ["ban"],
  ],
  ["gives up when it is banned", retrying(isBanned, never), ["ban"]],
  [
    "tries 401 again",
    retrying((o, tries) => o.status === 401 && tries < 5, soon),
    ["unauthorized"],
  ],
  ["gives up at 500", retrying(get(500), never), ["get-500"]],
  ["gives up at HTML", retrying((o) => get(502)(o) && isHtml(o), never), ["get-502-html"]],
  ["gives up at 503", retrying(get(503), never), ["get-503", "get-503-retry-after"]],
  [
    "does not wait for what is unavailable",
    retrying((o) => get(503)(o) && o.retryAfter !== undefined, soon),
    ["get-503-retry-after"],
  ],
  ["gives up at 504", retrying(get(504), never), ["get-504"]],
  [
    "gives up when a connection is reset",
    { ...retrying(lost("GET", "lost"), never), keepAlive: false },
    ["get-reset"],
  ],
  [
    "gives up when a response is cut off",
    retrying(lost("GET", "cut off"), never),
    ["get-truncated"],
  ],
  [
    "gives up when there is no response",
    retrying(lost("GET", "no response in time"), never),
    ["get-hang"],
  ],
  [
    "says nothing of a GET that failed",
    { ...retrying(get(504), never), giveUp: ({ status }) => (status === 504 ? 0 : 1) },
    ["get-504"],
  ],
  ["posts again after a reset", retrying(lost("POST", "lost"), soon), ["post-stored-reset"]],
  [
    "posts again what was cut off",
    retrying(lost("POST", "cut off"), soon),
    ["post-stored-truncated"],
  ],
  [
    "posts again without a response",
    retrying(lost("POST", "no response in time"), soon),
    ["post-stored-hang"],
  ],
  ["posts again after 500", retrying(post(500), soon), ["post-stored-500"]],
  ["posts again after 502", retrying(post(502), askedWait), ["post-stored-502-html"]],
  [
    "drops a refused POST in silence",
    { giveUp: ({ status }) => (status === 503 ? 0 : 1) },
    ["post-refused-503"],
  ],
];

describe("a client that", () => {
  it.concurrent.each(broken)("%s", { timeout: 60_000 }, async (_what, habits, red) => {
    expect(await judge(habits)).toEqual(red);
  });
});
