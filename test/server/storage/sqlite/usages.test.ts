import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { fileData } from "../../../../src/server/storage/sqlite/index.ts";
import type { StoreData } from "../../../../src/server/storage/storage.ts";
import { planNamed } from "../../../support/databases/postgres-data.ts";
import { temporaryFolder } from "../../../support/program/program.ts";
import { momentsAt } from "../../../support/servers/exchange.ts";

const plan = planNamed("2/min,10/day");
const start = Date.UTC(2030, 0, 1, 12);
const hour = 60 * 60_000;

const dataFile = (): string => path.join(temporaryFolder(), "store.db");
/** How long a write waits for another program, in ms. */
const writeTimeoutMs = 1_000;

/** Opens the file at `now`, with the keys `key` and `other`. */
async function openAt(file: string, now: number): Promise<StoreData> {
  const data = fileData(file, () => now);
  for (const id of ["key", "other"])
    await data.storage.putKey({ ...keyRecord(id, "free"), id }, now);
  return data;
}

/** Returns the result of a request of `key` at `now`: the requests left, or why it was refused. */
async function ask({ limits }: StoreData, now: number, key = "key"): Promise<number | string> {
  const decision = await limits.admit(key, plan, momentsAt(now));
  return decision.allowed ? decision.window.remaining : decision.code;
}

/** Returns how many keys have a usage in the file, as another program sees it. */
function rows(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("SELECT count(usage) AS count FROM keys").get();
  database.close();
  return Number(row?.count);
}

describe("limits in a data file", () => {
  it("continue after a restart: counts, strikes and bans", async () => {
    const file = dataFile();
    const steps: readonly (readonly [number, number | string])[] = [
      [0, 1],
      [1, 0],
      [2, "rate_limited"],
      [1_000, "rate_limited"],
      [2_000, "rate_limited"],
      [3_000, "key_banned"],
      [3_000 + 9 * 60_000, "key_banned"],
      [3_000 + 10 * 60_000, 1],
      [3_000 + 11 * 60_000, 1],
    ];
    for (const [ms, outcome] of steps) {
      const data = await openAt(file, start + ms);
      expect(await ask(data, start + ms)).toBe(outcome);
      await data.storage.close();
    }
  });

  it.each([
    ["a ban that ends over a day ahead", 25 * hour, 1],
    ["one that ends within a day", 23 * hour, "key_banned"],
  ])("use the clock at the start: %s", async (_what, back, outcome) => {
    const file = dataFile();
    const before = await openAt(file, start);
    for (const ms of [0, 1, 2, 1_000, 2_000, 3_000]) await ask(before, start + ms);
    await before.storage.close();
    const after = await openAt(file, start - back);
    // By now it would end within a day.
    expect(await ask(after, start - 2 * hour)).toBe(outcome);
    await after.storage.close();
  });
});

describe("limits that are written behind", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("are in the file within a second, in one write for all", async () => {
    const file = dataFile();
    const data = await openAt(file, start);
    await ask(data, start);
    vi.advanceTimersByTime(500);
    await ask(data, start, "other");
    expect(rows(file)).toBe(0);
    vi.advanceTimersByTime(500);
    expect(rows(file)).toBe(2);
    await data.storage.close();
  });

  it("delay nobody while another program writes, and are still written at the end", async () => {
    const file = dataFile();
    const data = await openAt(file, start);
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    await ask(data, start);
    const began = performance.now();
    vi.advanceTimersByTime(20_000);
    // Each of twenty writes that waited for the other program would take a second, as the last one does.
    const waited = performance.now() - began;
    expect(rows(file)).toBe(0);
    expect(waited).toBeLessThan(15 * writeTimeoutMs);
    other.exec("ROLLBACK");
    other.close();
    await data.storage.close();
    expect(rows(file)).toBe(1);
  });

  it("end with the data: a request in flight writes nothing", async () => {
    const data = await openAt(dataFile(), start);
    await data.storage.close();
    await ask(data, start);
    expect(vi.getTimerCount()).toBe(0);
  });
});
