import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { redisAvailable, startRedis, tapRedis } from "../support/databases/redis.ts";
import { envFor, type Finished, runPets, temporaryFolder } from "../support/program/program.ts";
import { startTestStore } from "../support/servers/store.ts";

const jump = path.resolve(import.meta.dirname, "../support/program/clock-jump.mjs");
const hour = 3_600_000;

/** Makes a file with `count` animals, all with different names. */
function animals(name: string, count: number): string {
  const file = path.join(temporaryFolder(), `${name}.csv`);
  const rows = Array.from({ length: count }, (_none, row) => `${name} ${row},1`);
  writeFileSync(file, ["name,categoryId", ...rows].join("\n"));
  return file;
}

/** Lists repeatedly, one time after the other. */
async function lists(env: Record<string, string>): Promise<readonly Finished[]> {
  const runs: Finished[] = [];
  while (runs.length < 8) runs.push(await runPets(["list", "-v", "--max-wait", "3m"], { env }));
  return runs;
}

describe.skipIf(!redisAvailable)("machines with one key", () => {
  it("import and list concurrently without a refusal, and add nothing twice", async () => {
    // Two windows are needed.
    const store = await startTestStore({ plan: "40/6s,10000/day" });
    const tap = await tapRedis((await startRedis()).port);
    const machine = (ahead: number): Record<string, string> => ({
      ...envFor(store, { PETS_LIMITER: tap.url }),
      NODE_OPTIONS: `--import ${pathToFileURL(jump).href}`,
      PETS_TEST_JUMP: `${ahead * hour}`,
    });
    const addFrom = (name: string, ahead: number): Promise<Finished> =>
      runPets(["add", "--from", animals(name, 30), "-v", "--max-wait", "3m"], {
        env: machine(ahead),
      });
    const all = await Promise.all([addFrom("Ada", 0), addFrom("Bo", 5), lists(machine(-7))]);
    const runs = all.flat();
    expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0));
    const log = runs.map(({ stderr }) => stderr).join("");
    expect(log.match(/^< 2\d\d/gm)).toHaveLength(68);
    expect(log).not.toMatch(/^< [3-5]/m);
    expect(log).not.toContain("limiter at");
    const page = await store.storage.list({ limit: 1000, status: undefined });
    const pets = JSON.parse(Buffer.from(page).toString()) as readonly { name: string }[];
    expect(pets).toHaveLength(60);
    expect(new Set(pets.map(({ name }) => name)).size).toBe(60);
    const wire = tap.sent() + tap.answered();
    for (const secret of partsOf(store.apiKey)) expect(wire).not.toContain(secret);
  });
});

/** What would reveal part of a key: eight characters of it, plain, in base64, or in hex. */
function partsOf(apiKey: string): readonly string[] {
  return [apiKey.slice(0, 8), apiKey.slice(8, 16), apiKey.slice(-8)].flatMap((piece) => {
    const bytes = Buffer.from(piece);
    return [piece, bytes.toString("hex"), bytes.toString("base64").slice(0, 10)];
  });
}
