import path from "node:path";
import { runProgram, startBench, writePets } from "./bulk-support.ts";
import { median } from "./cpu.ts";
import { petsCommand } from "./pets-command.ts";

const rows = 20_000;
const concurrency = 8;
const rounds = 5;
const wanted = 0.35;

/**
 * 20,000 rows without limits, against a plain loop of the same concurrency that takes turns with it.
 * Whole programs are compared: what pets checks and loads before its first row counts.
 */
export async function measureRate(): Promise<readonly string[]> {
  await using bench = await startBench("enterprise");
  const { folder, baseUrl, apiKey, env } = bench;
  const timeOf = async (...command: [string, ...string[]]): Promise<number> => {
    const { code, ms, stderr } = await runProgram(command, env);
    if (code !== 0) throw new Error(stderr);
    return ms;
  };
  const loop = [path.join(import.meta.dirname, "bulk-loop.ts"), baseUrl, apiKey] as const;
  const file = writePets(folder, rows);
  const loopTimes: number[] = [];
  const petsTimes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    loopTimes.push(await timeOf(process.execPath, ...loop, `${rows}`, `${concurrency}`));
    petsTimes.push(await timeOf(...petsCommand, "add", "--from", file, "--again", "-o", "ndjson"));
  }
  const [loopMs, petsMs] = [median(loopTimes), median(petsTimes)];
  const share = loopMs / petsMs;
  console.log(
    `${rows} rows without limits, ${concurrency} at a time, medians of ${rounds} rounds: ` +
      `${petsMs.toFixed(0)} ms, a loop ${loopMs.toFixed(0)} ms: pets at ${share.toFixed(2)} of its rate`,
  );
  return share >= wanted ? [] : [`at least ${wanted} of the rate of a loop`];
}
