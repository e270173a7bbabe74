import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { envFor, type Finished, finished, runPets, startPets } from "../support/program/program.ts";
import { startFaultyStore } from "../support/servers/faulty-store.ts";
import { nameOf, namesIn, petsFile, rowLines, twice } from "../support/servers/imports.ts";
import type { TestStore } from "../support/servers/store.ts";

const kills = 12;
/** How long a run lives, in ms, before it is killed. */
const shortest = 150;
const longest = 450;

/** Returns numbers from 0 up to 1, always the same. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Kills run after run, then runs until it is done; returns how each ended. */
async function killAndFinish(lab: TestStore, args: readonly string[], seed: number) {
  const env = envFor(lab);
  const random = seeded(seed);
  const runs: Finished[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const child = startPets(args, { env });
    const ended = finished(child);
    await delay(shortest + (longest - shortest) * random());
    child.kill("SIGKILL");
    runs.push(await ended);
  }
  for (let again = 0; again < 5; again += 1) {
    const run = await runPets(args, { env });
    runs.push(run);
    if (run.code === 0 || run.code === 8) return runs;
  }
  throw new Error(`not done: ${runs.at(-1)?.stderr}`);
}

/** Compares what the store has with what the runs reported. */
async function judge(lab: TestStore, runs: readonly Finished[], rows: number): Promise<void> {
  const names = await namesIn(lab);
  expect(twice(names)).toEqual([]);
  const told = runs.flatMap(({ stdout }) => rowLines(stdout));
  const unknown = new Set(
    rowLines(runs.at(-1)?.stdout ?? "")
      .filter(({ outcome }) => outcome === "unknown")
      .map(({ line }) => nameOf(line)),
  );
  const wanted = Array.from({ length: rows }, (_none, i) => nameOf(i + 1));
  const missing = wanted.filter((name) => !names.includes(name));
  expect(missing.filter((name) => !unknown.has(name))).toEqual([]);
  // Every report was true, and no row has two outcomes, except that the first may be unknown.
  const added = told.filter(({ outcome }) => outcome === "added").map(({ line }) => nameOf(line));
  expect(added.filter((name) => !names.includes(name))).toEqual([]);
  expect(twice(added)).toEqual([]);
  expect(added.filter((name) => unknown.has(name))).toEqual([]);
}

it.concurrent("a run that is killed 12 times adds each row once", async () => {
  const lab = await startFaultyStore({ latency: "45+-30" });
  const args = ["add", "--from", petsFile(600), "-o", "ndjson"];
  const runs = await killAndFinish(lab, args, 1);
  expect(runs.filter(({ signal }) => signal === "SIGKILL").length).toBeGreaterThanOrEqual(8);
  await judge(lab, runs, 600);
});

it.concurrent("so does one whose service fails in every way", { timeout: 180_000 }, async () => {
  // Each fault slows the run down.
  const fault = "reset:0.05,truncate:0.05,500:0.05,hang:0.05";
  const lab = await startFaultyStore({ latency: "10", fault });
  const args = ["add", "--from", petsFile(120), "-o", "ndjson", "--timeout", "300ms"];
  const runs = await killAndFinish(lab, args, 2);
  expect(runs.at(-1)?.code).toBe(8);
  await judge(lab, runs, 120);
});
