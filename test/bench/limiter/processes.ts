import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { mulberry32 } from "../../../src/server/seed/generate.ts";
import { petsCommand } from "../pets-command.ts";
import { type ArrivalCounts, countVisits, insideOwnWaits, leastMs } from "./arrivals.ts";
import { type Client, type Ended, runClients, untilWindow } from "./clients.ts";
import type { BenchStoreOptions, BenchStoreReady, BenchStoreReport } from "./store.ts";

// 90 processes, 24 at a time, on 20 requests per 4 s.
const processes = 90;
const atATime = 24;
const perWindow = 20;
const windowMs = 4000;
/** How long a run may take, in ms; a banned key would stop it for ten minutes. */
const mostMs = 60_000;

/** The clients that do the work, and how many of them are killed. */
export interface Run {
  readonly name: string;
  readonly kills: number;
  /** On how many machines the clients are, with clocks hours apart; by default on one. */
  readonly machines?: number;
  /** The URL of the server through which these share a limiter. */
  readonly limiter?: string;
}

/** The result of a run. */
export interface RunResult extends ArrivalCounts {
  readonly banned: number;
  /** Requests during a wait that their own machine had been asked for. */
  readonly insideOwn: number;
  /** Processes that could not use the server of their limiter. */
  readonly alone: number;
  /** From the first start to the last end. */
  readonly totalMs: number;
  /** The minimum time for all admitted requests, and for one request of each process, in ms. */
  readonly leastMs: number;
  readonly leastOfAllMs: number;
  /** How many processes ended with each exit code, or in another way. */
  readonly outcomes: ReadonlyMap<Ended["outcome"], number>;
  /** Names that were added more than once, and names that are missing although their process ended with 0. */
  readonly twice: number;
  readonly missing: number;
}

/** Does the work once, on a new store, starting `phase` ms after the beginning of a window. */
export async function doRun(run: Run, seed: number, phase: number): Promise<RunResult> {
  const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
  const plan = `${perWindow}/${windowMs / 1000}s,1000000/day`;
  const store = await startBenchStore({ plan, seed: 20 });
  try {
    const random = mulberry32(seed);
    const killsAfter = killMoments(run.kills, random, phase);
    const names = Array.from({ length: processes }, (_, place) =>
      place % 2 === 0 ? `Animal ${place}` : undefined,
    );
    const clients = names.map((name, place) => clientOf(run, store, name, [home, place]));
    await warmUp(clientOf(run, store, undefined, [home, 0]), home);
    await untilWindow(windowMs, phase);
    const start = Date.now();
    const ended = await runClients(clients, { atATime, killsAfter, random, mostMs });
    const totalMs = Date.now() - start;
    return { totalMs, ...summary(await store.end(), ended, names, start) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Starts the real store in a process that ends with this one at the latest. `end` is to be called once. */
async function startBenchStore(options: BenchStoreOptions) {
  const child = fork(path.join(import.meta.dirname, "store.ts"), [JSON.stringify(options)]);
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
  const options = { atATime: 1, killsAfter: [], random: Math.random, mostMs };
  await runClients([{ command, env: { ...env, ...elsewhere } }], options);
}

/**
 * Returns when to kill, in ms after the start: at any moment of the minimum time of the survivors' work; every
 * other one early in a window, when most requests are in flight.
 */
function killMoments(count: number, random: () => number, phase: number): readonly number[] {
  const windows = Math.ceil((processes - count) / perWindow);
  return Array.from({ length: count }, (_, place) => {
    const moment = random() * (windows - 1) * windowMs;
    const windowStart = moment - ((moment + phase) % windowMs);
    return place % 2 === 0 ? moment : Math.max(0, windowStart) + random() * 500;
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
  { visits, banned, names: kept }: BenchStoreReport,
  ended: readonly Ended[],
  names: readonly (string | undefined)[],
  start: number,
): Omit<RunResult, "totalMs"> {
  const counts = Map.groupBy(kept, (name) => name);
  const copies = (name: string | undefined): number => counts.get(name ?? "")?.length ?? 0;
  const added = names.filter((name, place) => name !== undefined && ended[place]?.outcome === 0);
  const outcomes = Map.groupBy(ended, ({ outcome }) => outcome);
  const first = visits[0]?.arrived ?? start;
  const counted = countVisits(visits);
  const least = (requests: number): number =>
    leastMs({ start, first, windowMs, windows: Math.ceil(requests / perWindow) });
  return {
    ...counted,
    banned,
    insideOwn: insideOwnWaits(visits),
    alone: ended.filter(({ stderr }) => stderr.includes("only this machine shares")).length,
    leastMs: least(counted.requests - counted.refused),
    leastOfAllMs: least(processes),
    outcomes: new Map([...outcomes].map(([outcome, group]) => [outcome, group.length])),
    twice: names.filter((name) => copies(name) > 1).length,
    missing: added.filter((name) => copies(name) === 0).length,
  };
}
