import path from "node:path";
import {
  benchEnv,
  benchFolder,
  type BulkStore,
  runProgram,
  startBulkStore,
  writePets,
} from "./bulk-support.ts";
import { median } from "./cpu.ts";
import { petsCommand } from "./pets-command.ts";

const rows = 20_000;
const concurrency = 8;
const rounds = Number(process.env.PETS_BENCH_ROUNDS ?? 5);
const wanted = 0.5;
const loops = ["undici", "http"] as const;

/** How long a program took from start to end, and its requests alone, in ms. */
interface Times {
  readonly whole: number[];
  readonly alone: number[];
}

type Name = "pets" | (typeof loops)[number];
type AllTimes = Readonly<Record<Name, Times>>;

/**
 * 20,000 rows without limits, against plain loops of the same concurrency that take turns with it.
 * Whole programs are compared: what pets checks and loads before its first row counts, and so does theirs.
 */
export async function measureRate(): Promise<readonly string[]> {
  const { folder, remove } = benchFolder();
  const store = await startBulkStore(folder, ["enterprise"]);
  try {
    const file = writePets(folder, rows);
    const times: AllTimes = { undici: noTimes(), http: noTimes(), pets: noTimes() };
    for (let round = 0; round < rounds; round += 1) {
      for (const client of loops) await runLoop(client, store, times[client]);
      times.pets.whole.push(await runPets(file, folder, store));
    }
    return tell(times);
  } finally {
    await store.stop();
    remove();
  }
}

const noTimes = (): Times => ({ whole: [], alone: [] });

function tell(times: AllTimes): readonly string[] {
  console.log(`${rows} rows without limits, ${concurrency} at a time, medians of ${rounds} rounds`);
  const rate = (ms: readonly number[]): number => (rows / median(ms)) * 1000;
  const pets = rate(times.pets.whole);
  console.log(`  pets    ${pets.toFixed(0).padStart(6)} rows a second, from start to end`);
  return loops.flatMap((name) => {
    const [whole, alone] = [rate(times[name].whole), rate(times[name].alone)];
    const share = pets / whole;
    console.log(
      `  ${name.padEnd(7)} ${whole.toFixed(0).padStart(6)}: pets at ${share.toFixed(2)} of it; ` +
        `its requests alone ${alone.toFixed(0)}: at ${(pets / alone).toFixed(2)}`,
    );
    return share >= wanted ? [] : [`at least ${wanted} of the rate of a loop over ${name}`];
  });
}

async function runLoop(client: string, { baseUrl, keys }: BulkStore, times: Times): Promise<void> {
  const loop = path.join(import.meta.dirname, "bulk-loop.ts");
  const args = [client, baseUrl, keys[0] ?? "", String(rows), String(concurrency)];
  const env = benchEnv("");
  const { ms, stdout, stderr } = await runProgram([process.execPath, loop, ...args], {
    env,
    keep: true,
  });
  if (stdout === "") throw new Error(stderr);
  times.whole.push(ms);
  times.alone.push(Number(stdout));
}

/** From start to end, including the start of the program and the check of all rows. */
async function runPets(file: string, home: string, { baseUrl, keys }: BulkStore): Promise<number> {
  const env = benchEnv(home, { PETS_BASE_URL: baseUrl, PETS_API_KEY: keys[0] ?? "" });
  const words = ["add", "--from", file, "--again", "-o", "ndjson"];
  const { code, ms, stderr } = await runProgram([...petsCommand, ...words], { env });
  if (code !== 0) throw new Error(stderr);
  return ms;
}
