import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { petsCommand } from "../pets-command.ts";
import { insideOwnWaits, insideWaits, leastMs } from "./arrivals.ts";
import { type Client, type Outcome, runClients } from "./clients.ts";
import type { BenchStoreReady, BenchStoreReport } from "./store.ts";

// 90 processes on 20 requests per 4 s.
const processes = 90;
const perWindow = 20;
const windowMs = 4000;

/** The clients that do the work, and how many of them are killed. */
export interface Run {
  readonly name: string;
  readonly kills: number;
  /** On how many machines the clients are, with clocks hours apart; by default on one. */
  readonly machines?: number;
  /** The URL of the server through which these share a limiter. */
  readonly limiter?: string;
}

export type RunResult = Awaited<ReturnType<typeof doRun>>;

/** Does the work once, on a new store, from the beginning of a window. */
export async function doRun(run: Run) {
  const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
  const store = await startBenchStore();
  try {
    const names = Array.from({ length: processes }, (_, place) =>
      place % 2 === 0 ? `Animal ${place}` : undefined,
    );
    const clients = names.map((name, place) => clientOf(run, store, name, [home, place]));
    await warmUp(clientOf(run, store, undefined, [home, 0]), home);
    const start = Math.ceil(Date.now() / windowMs) * windowMs;
    while (Date.now() < start) await sleep(start - Date.now());
    const ended = await runClients(clients, killMoments(run.kills));
    const totalMs = Date.now() - start;
    return { totalMs, ...summary(await store.end(), ended, names, start) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Starts the real store in a process that ends with this one at the latest. `end` is to be called once. */
async function startBenchStore() {
  const plan = `${perWindow}/${windowMs / 1000}s,1000000/day`;
  const child = fork(path.join(import.meta.dirname, "store.ts"), [plan]);
  const next = async <Message>(): Promise<Message> => {
    const ended = once(child, "exit").then(() => Promise.reject(new Error("the store ended")));
    const [message] = (await Promise.race([once(child, "message"), ended])) as [Message];
    return message;
  };
  return {
    ...(await next<BenchStoreReady>()),
    end: async () => {
      child.send("report");
      const report = await next<BenchStoreReport>();
      child.disconnect();
      return report;
    },
  };
}

/** Fills the compile cache, as on machines on which it ran before; nothing listens at its address. */
async function warmUp({ command, env }: Client, home: string): Promise<void> {
  const elsewhere = {
    PETS_BASE_URL: "http://127.0.0.1:9/v1",
    XDG_STATE_HOME: path.join(home, "state-warm-up"),
  };
  await runClients([{ command, env: { ...env, ...elsewhere } }]);
}

/**
 * Returns when to kill, in ms after the start: at any moment of the minimum time of the survivors' work; every
 * other one early in a window, when most requests are in flight.
 */
function killMoments(count: number): readonly number[] {
  const windows = Math.ceil((processes - count) / perWindow);
  return Array.from({ length: count }, (_, place) => {
    const moment = Math.random() * (windows - 1) * windowMs;
    return place % 2 === 0 ? moment : moment - (moment % windowMs) + Math.random() * 500;
  });
}

function clientOf(
  { machines = 1, limiter }: Run,
  { baseUrl, apiKey }: BenchStoreReady,
  name: string | undefined,
  [home, place]: readonly [string, number],
): Client {
  const machine = place % machines;
  const env = {
    ...(machines > 1 && placeOf(machine)),
    ...(limiter !== undefined && { PETS_LIMITER: limiter }),
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_STATE_HOME: path.join(home, `state-m${machine}`),
    PETS_BASE_URL: baseUrl,
    PETS_API_KEY: apiKey,
  };
  const words = name === undefined ? ["list"] : ["add", "--name", name, "--category", "1"];
  return { env, command: [...petsCommand, ...words, "--max-wait", "2m"] };
}

/** Returns the environment of a program on a machine with its own address, whose clock is hours ahead. */
function placeOf(machine: number): Record<string, string> {
  const jump = path.resolve(import.meta.dirname, "../../support/program/clock-jump.mjs");
  const address = path.resolve(import.meta.dirname, "machine-address.mjs");
  return {
    NODE_OPTIONS: `--import ${jump} --import ${address}`,
    PETS_TEST_JUMP: String(machine * 5 * 3_600_000),
    PETS_BENCH_ADDRESS: `127.0.0.${machine + 2}`,
  };
}

function summary(
  { visits, names: kept }: BenchStoreReport,
  ended: readonly Outcome[],
  names: readonly (string | undefined)[],
  start: number,
) {
  const counts = Map.groupBy(kept, (name) => name);
  const copies = (name: string | undefined): number => counts.get(name ?? "")?.length ?? 0;
  const added = names.filter((name, place) => name !== undefined && ended[place] === 0);
  const first = visits[0]?.arrived ?? start;
  return {
    requests: visits.length,
    refused: visits.filter(({ status }) => status === 429).length,
    /** Requests during an announced wait, and during one that their own machine had been asked for. */
    inside: insideWaits(visits),
    insideOwn: insideOwnWaits(visits),
    /** The minimum time for one request of each process: the killed may take places with them. */
    leastMs: leastMs({ start, first, windowMs, windows: Math.ceil(processes / perWindow) }),
    /** How many processes ended with each exit code, or in another way. */
    outcomes: new Map(
      [...Map.groupBy(ended, (outcome) => outcome)].map(([how, group]) => [how, group.length]),
    ),
    /** Names that were added more than once, and names that are missing although their process ended with 0. */
    twice: names.filter((name) => copies(name) > 1).length,
    missing: added.filter((name) => copies(name) === 0).length,
  };
}
