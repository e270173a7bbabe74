import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { interleave, type Measured, median, printOverFirst } from "../cpu.ts";
import { petsCommand } from "../pets-command.ts";
import { startRedisServer } from "./redis.ts";
import { startBenchStore } from "./start.ts";

const rounds = 41;
/** How long a process may run on after its output, in ms (`help fleet`). */
const maxLingerMs = 50;

/**
 * Measures what a limiter on a Redis server costs one `pets list --json`, compared with that of one machine, and
 * with the build that PETS_BENCH_BEFORE names, if it is set.
 */
export async function measureFleetCpu(): Promise<readonly string[]> {
  const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
  const plan = "1000000/min,1000000/day";
  const store = await startBenchStore({ plan, windowMs: 60_000, bans: true, seed: 20 });
  const redis = await startRedisServer();
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_STATE_HOME: path.join(home, "state"),
    PETS_BASE_URL: store.baseUrl,
    PETS_API_KEY: store.apiKey,
  };
  const shared = { ...env, XDG_STATE_HOME: path.join(home, "fleet"), PETS_LIMITER: redis.url };
  const list = [...petsCommand, "list", "--json"];
  const before = process.env.PETS_BENCH_BEFORE;
  const old = [process.execPath, before ?? "", "list", "--json"];
  const commands: readonly Measured[] = [
    { name: "this machine's limiter", command: list, env },
    { name: "a fleet's, on Redis", command: list, env: shared },
    ...(before === undefined ? [] : [{ name: "a fleet's, before", command: old, env: shared }]),
  ];
  try {
    const samples = interleave(commands, rounds);
    console.log(
      `CPU of pets list --json, median of ${rounds} interleaved runs, in ms, and over the first line's\n`,
    );
    printOverFirst(samples, 24);
    const gone = await lingerOf(list, shared);
    const steps = stepsIn(redis.port) / runsOf(commands.length);
    console.log(`
gone after the last of its output: ${gone.toFixed(1)} ms (median, under ${maxLingerMs} wanted);
round trips of a list, handshakes apart: ${steps.toFixed(2)} (at most 2 wanted)`);
    return gone < maxLingerMs ? [] : [`gone ${gone.toFixed(1)} ms after the output`];
  } finally {
    await redis.stop();
    await store.end();
    rmSync(home, { recursive: true, force: true });
  }
}

/** How many runs used the server: the measured ones, their warm-ups, and those of `lingerOf`. */
const runsOf = (commands: number): number => (commands - 1) * (rounds + 2) + rounds;

/** Returns the median of how long a command runs on after the end of its output, in ms. */
async function lingerOf(
  [file = "", ...words]: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const times: number[] = [];
  while (times.length < rounds) {
    const child = spawn(file, words, { env, stdio: ["ignore", "pipe", "ignore"] });
    let shownAt = 0;
    child.stdout.on("data", () => (shownAt = performance.now()));
    await once(child, "exit");
    times.push(performance.now() - shownAt);
  }
  return median(times);
}

/** Returns how many transactions the server at `port` has run. */
function stepsIn(port: number): number {
  const words = ["-p", `${port}`, "INFO", "commandstats"];
  const stats = execFileSync("redis-cli", words, { encoding: "utf8" });
  return Number(/^cmdstat_exec:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
}
