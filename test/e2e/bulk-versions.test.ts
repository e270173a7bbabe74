import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { later } from "../support/command/machine.ts";
import { runInTime } from "../support/command/world.ts";
import { envFor, finished, startPets, temporaryFolder } from "../support/program/program.ts";
import { startFaultyStore, type FaultyStore } from "../support/servers/faulty-store.ts";

/** Returns numbers from 0 up to 1, always the same. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

type Random = () => number;

/** Returns a name; some are frequent, so that equal rows are counted. */
const newName = (random: Random): string =>
  random() < 0.3 ? `Rex ${Math.floor(random() * 3)}` : `Pet ${Math.floor(random() * 1e6)}`;

/** Inserts, deletes, changes and moves some of the rows. */
function edited(rows: readonly string[], random: Random): string[] {
  const kept = rows.flatMap((name) => {
    const luck = random();
    if (luck < 0.08) return [];
    if (luck < 0.16) return [newName(random)];
    return luck < 0.24 ? [name, newName(random)] : [name];
  });
  const order = new Map(kept.map((_name, i) => [i, random() < 0.2 ? random() * kept.length : i]));
  return kept
    .map((name, i) => ({ name, at: order.get(i) ?? i }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

const encodings: readonly (readonly [string, (rows: readonly string[]) => string])[] = [
  [
    "ndjson",
    (rows) => rows.map((name) => `{"name":${JSON.stringify(name)},"categoryId":1}\n`).join(""),
  ],
  [
    "json",
    (rows) =>
      JSON.stringify(
        rows.map((name) => ({ categoryId: 1, name })),
        undefined,
        2,
      ),
  ],
  ["csv", (rows) => `\uFEFFCategory;NAME\r\n${rows.map((name) => `1;"${name}"\r\n`).join("")}`],
  ["tsv", (rows) => `name\tcategoryId\n${rows.map((name) => `${name}\t1`).join("\n")}`],
];

/** Returns the versions of a file, each in another encoding. */
function versionsOf(count: number, rows: number, random: Random) {
  let names = Array.from({ length: rows }, () => newName(random));
  return Array.from({ length: count }, (_none, i) => {
    if (i > 0) names = edited(names, random);
    const [ending = "", encode] = encodings[i % encodings.length] ?? [];
    const file = path.join(temporaryFolder(), `pets.${ending}`);
    writeFileSync(file, encode?.(names) ?? "");
    return { file, names };
  });
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Returns each name as often as in the version with the most of it. */
function unionOf(versions: readonly { readonly names: readonly string[] }[]) {
  const union: Record<string, number> = {};
  for (const { names } of versions)
    for (const [name, count] of Object.entries(countsOf(names)))
      union[name] = Math.max(union[name] ?? 0, count);
  return union;
}

async function stored({ storage }: FaultyStore): Promise<Record<string, number>> {
  const page = await storage.list({ limit: 1_000_000, status: undefined });
  const pets = JSON.parse(Buffer.from(page).toString()) as { readonly name: string }[];
  return countsOf(pets.map(({ name }) => name));
}

const run = (file: string): string[] => ["add", "--from", file, "--only-new"];

it.concurrent(
  "any versions of a file, interrupted anywhere, leave the union of their rows",
  { timeout: 120_000 },
  async () => {
    const store = await startFaultyStore({ latency: "10+-8" });
    const env = envFor(store);
    const random = seeded(7);
    const versions = versionsOf(5, 60, random);
    for (const { file } of versions) {
      const child = startPets(run(file), { env });
      const ended = finished(child);
      await delay(250 + 300 * random());
      child.kill(random() < 0.5 ? "SIGINT" : "SIGTERM");
      await ended;
    }
    for (const { file } of [...versions].toSorted(() => random() - 0.5))
      expect(await runInTime(run(file), { env })).toMatchObject({ code: 0 });
    for (const { file } of versions)
      expect(await runInTime(run(file), { env })).toMatchObject({ code: 0, stdout: "" });
    expect(await stored(store)).toEqual(unionOf(versions));
  },
);

it.concurrent(
  "any versions do so even if the service fails, with the rows that the lists settle",
  { timeout: 180_000 },
  async () => {
    const fault = "reset:0.05,truncate:0.05,500:0.05,hang:0.05";
    const store = await startFaultyStore({ latency: "2", fault });
    const env = envFor(store);
    const random = seeded(11);
    const versions = versionsOf(3, 30, random);
    // Few equal names, so that all stay within the lists.
    for (const { file } of versions) {
      for (let attempt = 0; attempt < 12; attempt += 1) {
        const words = ["add", "--from", file, "--only-new", "--timeout", "300ms"];
        const sent = await runInTime(words, { env });
        if (sent.code === 0) break;
        await runInTime([...words, "--check-unknown"], { env, clock: later });
        expect(attempt).toBeLessThan(11);
      }
    }
    expect(await stored(store)).toEqual(unionOf(versions));
  },
);
