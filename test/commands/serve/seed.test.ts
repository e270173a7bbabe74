import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import { loadSeed, openSeed } from "../../../src/commands/serve/seed.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { totalOf } from "../../../src/server/storage/storage.ts";
import { temporaryFolder } from "../../support/program/program.ts";

/** Returns a context that records its notes. */
function seedContext(signal: AbortSignal = new AbortController().signal) {
  const notes: string[] = [];
  const note = async (text: string): Promise<void> => void notes.push(text);
  return { context: { signal, note } as unknown as Context, notes };
}

const seedFileWith = (text: string): string => {
  const file = path.join(temporaryFolder(), "seed.ndjson");
  writeFileSync(file, text);
  return file;
};

describe("openSeed", () => {
  it("is undefined without a seed", async () => {
    expect(await openSeed(seedContext().context, undefined)).toBeUndefined();
  });

  it("returns the same animals each time", async () => {
    const row = '{"name":"a","categoryId":1}\n';
    for (const seed of [3, seedFileWith(row.repeat(3))]) {
      const open = await openSeed(seedContext().context, seed);
      const read = () => Array.fromAsync(open?.() ?? []);
      expect(await read()).toHaveLength(3);
      expect(await read()).toEqual(await read());
    }
  });

  it("checks a file to its end first", async () => {
    const file = seedFileWith('{"name":"a","categoryId":1}\n{}\n');
    await expect(openSeed(seedContext().context, file)).rejects.toThrow(/line 2: name is missing/);
  });

  it("stops when it is aborted", async () => {
    const { context } = seedContext(AbortSignal.abort(new Error("enough")));
    await expect(openSeed(context, seedFileWith('{"name":"a","categoryId":1}'))).rejects.toThrow(
      "enough",
    );
  });
});

describe("loadSeed", () => {
  it("fills only an empty store", async () => {
    const storage = memoryStorage();
    const { context, notes } = seedContext();
    await loadSeed(context, storage, undefined);
    expect(totalOf(await storage.countByStatus())).toBe(0);
    await loadSeed(context, storage, await openSeed(context, 4));
    expect([totalOf(await storage.countByStatus()), notes.length]).toEqual([4, 0]);
    await loadSeed(context, storage, await openSeed(context, 4));
    expect([totalOf(await storage.countByStatus()), notes.length]).toEqual([4, 1]);
  });
});
