import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { array, assert, asyncProperty, constantFrom, oneof, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { petStatuses } from "../../../../src/core/enums.ts";
import { fileData, memoryStorage } from "../../../../src/server/storage/sqlite/index.ts";
import { fileStorage, listed, runSql } from "../../../support/databases/data-file.ts";
import { temporaryFolder } from "../../../support/program/program.ts";

const rex = { name: "Rex", categoryId: 1n };

/** SQL after which an animal called `name` can't be stored. */
const failing = (name: string, effect: string): string =>
  `CREATE TRIGGER ${name} BEFORE INSERT ON pets WHEN new.json LIKE '%"${name}"%'
   BEGIN SELECT RAISE(${effect}, '${name}'); END;`;

describe("animals in a data file", () => {
  it("fail alone if they are bad, and all if the transaction is lost", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    runSql(file, failing("abort", "ABORT") + failing("fatal", "ROLLBACK"));
    const outcomes = async (...names: string[]) => {
      const adds = names.map((name) => storage.add({ name, categoryId: 1n }));
      return (await Promise.allSettled(adds)).map(({ status }) => status === "fulfilled");
    };
    expect(await outcomes("a", "abort", "b")).toEqual([true, false, true]);
    expect(await outcomes("c", "fatal", "d")).toEqual([false, false, false]);
    expect(await outcomes("e")).toEqual([true]);
    const kept = [
      { id: 3, name: "e" },
      { id: 2, name: "b" },
      { id: 1, name: "a" },
    ];
    expect(JSON.parse(await listed(storage))).toMatchObject(kept);
    await storage.close();
  });
});

const pet = (status: (typeof petStatuses)[number] | undefined, size = 1) => ({
  ...rex,
  name: "x".repeat(size),
  ...(status && { status }),
});

describe("pages", () => {
  const anyStatus = constantFrom(undefined, ...petStatuses);
  const steps = array(
    oneof(
      record({ add: array(anyStatus, { maxLength: 120 }), size: constantFrom(1, 30_000) }),
      record({ limit: constantFrom(1, 2, 99, 100), status: anyStatus }),
    ),
    { maxLength: 20 },
  );
  type Step = Parameters<Parameters<typeof steps.filter>[0]>[0][number];

  async function isFaithful(all: readonly Step[]): Promise<boolean> {
    const storage = memoryStorage();
    const kept: { json: string; status: unknown }[] = [];
    for (const step of all) {
      if ("add" in step) {
        const adds = step.add.map((status) => storage.add(pet(status, step.size)));
        for (const [place, json] of (await Promise.all(adds)).entries())
          kept.unshift({ json, status: step.add[place] });
      } else {
        const { limit, status } = step;
        const fitting = kept.filter((each) => status === undefined || each.status === status);
        const truth = fitting.slice(0, limit).map(({ json }) => json);
        if (Buffer.from(await storage.list(step)).toString() !== `[${truth.join(",")}]`)
          return false;
      }
    }
    return true;
  }

  it("always show the newest animals of the table, newest first", async () => {
    await assert(asyncProperty(steps, isFaithful), { numRuns: 60 });
  });
});

describe("many animals at once", () => {
  it("are stored by a store that closes meanwhile", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    const added = storage.add(rex);
    await storage.close();
    const again = fileStorage(file);
    expect(await listed(again)).toBe(`[${await added}]`);
    await again.close();
  });

  it("wait once, not once each, for another program that writes", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const began = performance.now();
    const adds = Array.from({ length: 40 }, () => storage.add({ name: "a", categoryId: 1n }));
    for (const { status } of await Promise.allSettled(adds)) expect(status).toBe("rejected");
    expect(performance.now() - began).toBeLessThan(30_000);
    other.exec("ROLLBACK");
    other.close();
    expect(JSON.parse(await storage.add({ name: "e", categoryId: 1n }))).toMatchObject({ id: 1 });
    await storage.close();
  });

  it("are all stored, or none, and so is a reset", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const data = fileData(file, Date.now);
    const { storage } = data;
    runSql(file, failing("bad", "ABORT"));
    const bad = { name: "bad", categoryId: 1n };
    await expect(storage.addAll([rex, bad])).rejects.toThrow("bad");
    expect(await storage.isEmpty()).toBe(true);
    expect([await storage.addAll([rex, rex]), await storage.addAll([rex])]).toEqual([true, false]);
    const id = storage.storeId();
    expect(() => data.local?.storage.replaceAll([rex, bad])).toThrow("bad");
    expect(storage.storeId()).toBe(id);
    expect(await storage.add(rex)).toContain('"id":3,');
    data.local?.storage.replaceAll([rex]);
    expect(await storage.add(rex)).toContain('"id":2,');
    expect(JSON.parse(await listed(storage))).toHaveLength(2);
    await storage.close();
  });
});
