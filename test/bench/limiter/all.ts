import { randomInt } from "node:crypto";
import { measureCpu } from "./cpu.ts";
import { measureFleetCpu } from "./fleet-cpu.ts";
import { runFleet } from "./fleet.ts";
import { doRun, type Run } from "./processes.ts";
import { measureReplay } from "./replay.ts";
import { shortfalls, tableHead, tableLine } from "./table.ts";

// The measurements by name; each returns what misses its bound.
const parts = {
  cpu: measureCpu,
  replay: measureReplay,
  processes: runProcesses,
  fleet: runFleet,
  "fleet-cpu": measureFleetCpu,
};
type Part = keyof typeof parts;
const unasked: readonly Part[] = ["cpu", "replay", "processes"];

const words = process.argv.slice(2);
const unknown = words.filter((word) => !Object.hasOwn(parts, word));
if (unknown.length > 0)
  throw new Error(`no part ${unknown.join(", ")}: there are ${Object.keys(parts).join(", ")}`);

const missed: string[] = [];
for (const part of words.length > 0 ? (words as Part[]) : unasked) {
  missed.push(...(await parts[part]()));
  console.log();
}
console.log(missed.length === 0 ? "All as wanted." : `Not as wanted:\n${missed.join("\n")}`);
process.exitCode = missed.length === 0 ? 0 : 1;

/** 90 processes, 24 at a time, on 20 requests per 4 s (`help rate-limits`). */
async function runProcesses(): Promise<readonly string[]> {
  const seed = Number(process.env.PETS_BENCH_SEED ?? randomInt(2 ** 32));
  const phase = Number(process.env.PETS_BENCH_PHASE ?? 0);
  const sharing = { program: "pets", shared: true, bans: true } as const;
  const alone = { shared: false, kills: 0 } as const;
  const runs: readonly Run[] = [
    { name: "pets", ...sharing, kills: 0 },
    { name: "pets, 13 killed", ...sharing, kills: 13 },
    { name: "pets, nothing shared", ...alone, program: "pets", bans: true },
    { name: "undici's RetryAgent", ...alone, program: "undici", bans: true },
    { name: "no bans: pets, nothing shared", ...alone, program: "pets", bans: false },
    { name: "no bans: undici's RetryAgent", ...alone, program: "undici", bans: false },
  ];
  console.log(`90 processes, 24 at a time, on 20 requests per 4 s, from ${phase} ms after a window's
beginning; killed by PETS_BENCH_SEED=${seed}\n${tableHead}`);
  const short: string[] = [];
  for (const run of runs) {
    const result = await doRun(run, seed, phase);
    console.log(tableLine(run.name, result));
    if (!run.shared) continue;
    short.push(...shortfalls(result, run.kills).map((text) => `${run.name}: ${text}`));
    for (const text of result.complaints) console.log(`  ${text}`);
  }
  return short;
}
