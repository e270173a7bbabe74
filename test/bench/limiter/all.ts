import { randomInt } from "node:crypto";
import { runFleet } from "./fleet.ts";
import { doRun, type Run } from "./processes.ts";
import { measureReplay } from "./replay.ts";
import { shortfalls, tableHead, tableLine } from "./table.ts";

// The measurements by name; each returns what misses its bound.
const parts = {
  replay: measureReplay,
  processes: runProcesses,
  fleet: runFleet,
};
type Part = keyof typeof parts;
const unasked: readonly Part[] = ["replay", "processes"];

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
  const runs: readonly Run[] = [
    { name: "pets", kills: 0 },
    { name: "pets, 13 killed", kills: 13 },
  ];
  console.log(`90 processes, 24 at a time, on 20 requests per 4 s, from ${phase} ms after a window's
beginning; killed by PETS_BENCH_SEED=${seed}\n${tableHead}`);
  const short: string[] = [];
  for (const run of runs) {
    const result = await doRun(run, seed, phase);
    console.log(tableLine(run.name, result));
    short.push(...shortfalls(result, run.kills).map((text) => `${run.name}: ${text}`));
  }
  return short;
}
