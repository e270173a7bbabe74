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

/** 20,000 rows without limits, against plain loops of the same concurrency that take turns with it. */
export async function measureRate(): Promise<readonly string[]> {
  const { folder, remove } = benchFolder();
  const store = await startBulkStore(folder, ["enterprise"]);
  try {
    const file = writePets(folder, rows);
    const times: Record<"pets" | (typeof loops)[number], number[]> = {
      pets: [],
      undici: [],
      http: [],
    };
    for (let round = 0; round < rounds; round += 1) {
      for (const client of loops) times[client].push(await runLoop(client, store));
      times.pets.push(await runPets(file, folder, store));
    }
    return tell(times);
  } finally {
    await store.stop();
    remove();
  }
}

function tell(times: Readonly<Record<"pets" | (typeof loops)[number], readonly number[]>>) {
  console.log(`${rows} rows without limits, ${concurrency} at a time, medians of ${rounds} rounds`);
  const rate = (name: keyof typeof times): number => (rows / median(times[name])) * 1000;
  for (const name of [...loops, "pets"] as const) {
    console.log(`  ${name.padEnd(7)} ${rate(name).toFixed(0).padStart(6)} rows a second`);
  }
  return loops.flatMap((name) => {
    const share = rate("pets") / rate(name);
    console.log(`  pets at ${share.toFixed(2)} of the rate of a loop over ${name}`);
    return share >= wanted ? [] : [`at least ${wanted} of the rate of a loop over ${name}`];
  });
}

async function runLoop(client: string, { baseUrl, keys }: BulkStore): Promise<number> {
  const loop = path.join(import.meta.dirname, "bulk-loop.ts");
  const args = [client, baseUrl, keys[0] ?? "", String(rows), String(concurrency)];
  const command = [process.execPath, loop, ...args] as const;
  const { stdout, stderr } = await runProgram([...command], { env: benchEnv(""), keep: true });
  if (stdout === "") throw new Error(stderr);
  return Number(stdout);
}

/** From start to end, the start of the program and the checking of all rows included. */
async function runPets(file: string, home: string, { baseUrl, keys }: BulkStore): Promise<number> {
  const env = benchEnv(home, { PETS_BASE_URL: baseUrl, PETS_API_KEY: keys[0] ?? "" });
  const words = ["add", "--from", file, "--again", "-o", "ndjson"];
  const { code, ms, stderr } = await runProgram([...petsCommand, ...words], { env });
  if (code !== 0) throw new Error(stderr);
  return ms;
}
