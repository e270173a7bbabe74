import { setTimeout as sleep } from "node:timers/promises";
import { type BenchRun, runProgram, startBench, writePets } from "./bulk-support.ts";
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
  await using bench = await startBench("pro");
  const { folder, baseUrl, apiKey, env } = bench;
  const file = writePets(folder, rows);
  // Not at the end of a window, as its first request would fall into the next one.
  const endsIn = windowMs - (Date.now() % windowMs);
  if (endsIn < 10_000) await sleep(endsIn);
  const start = Date.now();
  const importing = runProgram([...petsCommand, "add", "--from", file, "-q"], env);
  const least = leastMs({ start, first: start, windowMs, windows });
  const listAt = async (ms: number): Promise<BenchRun> => {
    await sleep(ms);
    return runProgram([...petsCommand, "list", "-q"], env);
  };
  const listing = Array.from({ length: lists }, (_, place) =>
    listAt(((place + Math.random()) * least) / lists),
  );
  const [added, ...answers] = await Promise.all([importing, ...listing]);
  const headers = { authorization: `Bearer ${apiKey}` };
  const reply = await fetch(new URL("/_store/state", baseUrl), { headers });
  const { pets, requests, early } = (await reply.json()) as {
    pets: number;
    requests: Readonly<Record<string, number>>;
    early: number;
  };
  const isClean = pets === rows && (requests["429"] ?? 0) + early === 0;
  const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const fast = answers.filter(({ code, ms }) => code === 0 && ms < wanted.answerMs).length;
  const time = added.ms / least;
  const slowest = times.slice(-3).map((ms) => `${ms.toFixed(0)} ms`);
  console.log(
    `${rows} rows on the plan pro beside ${lists} lists: ended with ${added.code}, ` +
      `${isClean ? "all added, nothing refused" : "NOT all added, or some refused"}, ` +
      `${(added.ms / 1000).toFixed(1)} s of at least ${(least / 1000).toFixed(1)} s: ${time.toFixed(3)}\n` +
      `  ${fast} of ${lists} lists in under a second; the slowest: ${slowest.join(", ")}`,
  );
  return [
    ...(isClean && added.code === 0 && time <= wanted.time
      ? []
      : [`${rows} rows beside lists: all, none refused, within ${wanted.time}`]),
    ...(fast >= lists * wanted.share ? [] : ["11 of 12 lists beside an import in under a second"]),
  ];
}
