import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../../../../src/platform/io.ts";

/** How a request ended: with a status, or without a whole response. */
export interface Outcome {
  readonly method: string;
  readonly status: number;
  /** What the response said, as text. */
  readonly body: string;
  readonly retryAfter: string | undefined;
  /** Why there is no whole response. */
  readonly trouble?: "lost" | "cut off" | "no response in time";
}

/** What a client decides; each is the right decision unless a test replaces it. */
export interface Habits {
  /** Returns how long to wait before the request is sent again, in ms; undefined to give up. */
  readonly retry: (outcome: Outcome, tries: number) => number | undefined;
  /** Returns the exit code when a request is given up. */
  readonly giveUp: (outcome: Outcome) => number;
  /** Whether the connection is used again. */
  readonly keepAlive: boolean;
}

const isRefused = ({ status }: Outcome): boolean => status === 429;

/** Returns the wait that a response asks for, in ms; 300 if it does not. */
export function askedWait({ retryAfter = "0.3" }: Outcome): number {
  const seconds = Number(retryAfter);
  return Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
}

export const goodHabits: Habits = {
  retry: (outcome, tries) => {
    const isWorthIt = isRefused(outcome) || outcome.method === "GET";
    const hasFailed = outcome.trouble !== undefined || isRefused(outcome) || outcome.status >= 500;
    return isWorthIt && hasFailed && tries < 6 ? askedWait(outcome) + 20 : undefined;
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
export async function runClient(env: Environment, habits: Habits): Promise<number> {
  const agent = new Agent({ keepAlive: habits.keepAlive, maxSockets: 1 });
  try {
    for (const [method, path] of requests) {
      const ask = () => send([method, path], env, agent);
      const outcome = await settle(ask, habits);
      if (outcome.trouble !== undefined || outcome.status >= 400) {
        const code = habits.giveUp(outcome);
        if (code !== 0) return code;
      }
    }
    return 0;
  } finally {
    agent.destroy();
  }
}

async function settle(ask: () => Promise<Outcome>, habits: Habits): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await ask();
    const wait = habits.retry(outcome, tries);
    if (wait === undefined) return outcome;
    await sleep(wait);
  }
}

/** How many ticks of silence it bears: a pause of this whole process is one, and is not taken for the store's. */
const [patience, tickMs] = [20, 100];

function send(
  [method, path]: readonly [method: string, path: string],
  { PETS_BASE_URL = "", PETS_API_KEY = "" }: Environment,
  agent: Agent,
): Promise<Outcome> {
  const headers = { Authorization: `Bearer ${PETS_API_KEY}` };
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
