import { setTimeout as sleep } from "node:timers/promises";
import {
  benchEnv,
  benchFolder,
  type BenchRun,
  runProgram,
  startBulkStore,
  writePets,
} from "./bulk-support.ts";
import { leastMs } from "./limiter/arrivals.ts";
import { petsCommand } from "./pets-command.ts";

const perWindow = 300;
const windowMs = 60_000;
const windows = 3;
// Fewer than the 15 of 300 that an import leaves to other commands.
const lists = 12;
const rows = windows * perWindow - lists;
const wanted = { answerMs: 1000, share: 11 / 12, time: 1.05 };

/** Runs `pets list` at random moments during an import on the plan `pro`: how fast each is, and what it costs the import. */
export async function measureBeside(): Promise<readonly string[]> {
  const { folder, remove } = benchFolder();
  const store = await startBulkStore(folder, ["pro"]);
  const [apiKey = ""] = store.keys;
  const env = benchEnv(folder, { PETS_BASE_URL: store.baseUrl, PETS_API_KEY: apiKey });
  try {
    const file = writePets(folder, rows);
    // Not at the end of a window, as its first request would fall into the next one.
    const endsIn = windowMs - (Date.now() % windowMs);
    if (endsIn < 10_000) await sleep(endsIn);
    const start = Date.now();
    const importing = runProgram([...petsCommand, "add", "--from", file, "-q"], { env });
    const least = leastMs({ start, first: start, windowMs, windows });
    const listing = Promise.all(
      Array.from({ length: lists }, (_, place) =>
        listAt(((place + Math.random()) * least) / lists, env),
      ),
    );
    const [added, answers] = await Promise.all([importing, listing]);
    const { pets, requests, early } = await store.state();
    const refused = requests["429"] ?? 0;
    return tell({ added, answers, least, isClean: pets === rows && refused + early === 0 });
  } finally {
    await store.stop();
    remove();
  }
}

/** Runs `pets list` after this many ms. */
async function listAt(ms: number, env: Record<string, string>): Promise<BenchRun> {
  await sleep(ms);
  return runProgram([...petsCommand, "list", "-q"], { env });
}

interface Beside {
  readonly added: BenchRun;
  readonly answers: readonly BenchRun[];
  readonly least: number;
  /** Whether every row was added, and nothing refused. */
  readonly isClean: boolean;
}

function tell({ added, answers, least, isClean }: Beside): readonly string[] {
  const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const fast = answers.filter(({ code, ms }) => code === 0 && ms < wanted.answerMs).length;
  const time = added.ms / least;
  console.log(
    `${rows} rows on the plan pro beside ${lists} lists: ended with ${added.code}, ` +
      `${isClean ? "all added, nothing refused" : "NOT all added, or some refused"}, ` +
      `${(added.ms / 1000).toFixed(1)} s of at least ${(least / 1000).toFixed(1)} s: ${time.toFixed(3)}\n` +
      `  ${fast} of ${lists} lists in under a second; the slowest: ` +
      times
        .slice(-3)
        .map((ms) => `${ms.toFixed(0)} ms`)
        .join(", "),
  );
  return [
    ...(isClean && added.code === 0 && time <= wanted.time
      ? []
      : [`${rows} rows beside lists: all, none refused, within ${wanted.time}`]),
    ...(fast >= lists * wanted.share ? [] : ["11 of 12 lists beside an import in under a second"]),
  ];
}
