import path from "node:path";
import { benchEnv, benchFolder, runProgram, startBulkStore, writePets } from "./bulk-support.ts";
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
  const { folder, remove } = benchFolder();
  const store = await startBulkStore(folder, ["enterprise"]);
  const apiKey = store.keys[0] ?? "";
  const env = benchEnv(folder, { PETS_BASE_URL: store.baseUrl, PETS_API_KEY: apiKey });
  const loop = path.join(import.meta.dirname, "bulk-loop.ts");
  const timeOf = async (command: readonly [string, ...string[]]): Promise<number> => {
    const { code, ms, stderr } = await runProgram(command, { env });
    if (code !== 0) throw new Error(stderr);
    return ms;
  };
  try {
    const file = writePets(folder, rows);
    const times: { loop: number; pets: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      times.push({
        loop: await timeOf([
          process.execPath,
          loop,
          store.baseUrl,
          apiKey,
          `${rows}`,
          `${concurrency}`,
        ]),
        pets: await timeOf([...petsCommand, "add", "--from", file, "--again", "-o", "ndjson"]),
      });
    }
    const loopMs = median(times.map((time) => time.loop));
    const petsMs = median(times.map((time) => time.pets));
    const share = loopMs / petsMs;
    console.log(
      `${rows} rows without limits, ${concurrency} at a time, medians of ${rounds} rounds: ` +
        `${petsMs.toFixed(0)} ms, a loop ${loopMs.toFixed(0)} ms: pets at ${share.toFixed(2)} of its rate`,
    );
    return share >= wanted ? [] : [`at least ${wanted} of the rate of a loop`];
  } finally {
    await store.stop();
    remove();
  }
}
