import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { interleave, type Measured, printOverFirst } from "../cpu.ts";
import { petsCommand } from "../pets-command.ts";
import { startBenchStore } from "./start.ts";

const rounds = 81;

/**
 * Measures what the rate limiter costs one `pets list --json`: with a state folder, without a usable one, and
 * against the build that PETS_BENCH_BEFORE names, if it is set.
 */
export async function measureCpu(): Promise<readonly string[]> {
  const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
  const store = await startBenchStore({
    plan: "1000000/min,1000000/day",
    windowMs: 60_000,
    bans: true,
    seed: 20,
  });
  const list = [...petsCommand, "list", "--json"];
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_STATE_HOME: path.join(home, "state"),
    PETS_BASE_URL: store.baseUrl,
    PETS_API_KEY: store.apiKey,
  };
  const before = process.env.PETS_BENCH_BEFORE;
  const commands: Measured[] = [
    ...(before === undefined
      ? []
      : [{ name: "before", command: [process.execPath, before, "list", "--json"], env }]),
    { name: "no usable state folder", command: list, env: { ...env, XDG_STATE_HOME: "/dev/null" } },
    { name: "state folder", command: list, env },
  ];
  try {
    const samples = interleave(commands, rounds);
    console.log(
      `CPU of pets list --json, median of ${rounds} interleaved runs, in ms, and over the first line's
(wanted: 3.0 at most over a build from before the limiter)\n`,
    );
    printOverFirst(samples, 32);
  } finally {
    await store.end();
    rmSync(home, { recursive: true, force: true });
  }
  return [];
}
