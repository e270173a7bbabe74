import { describe, expect, it, onTestFinished, vi } from "vitest";
import { keyRecord } from "../../../src/server/keys.ts";
import { animalCounter, animalsJson, keyLimits } from "../../../src/server/page/data-views.ts";
import { noQuotas, parsePlan } from "../../../src/server/rate-limits/plans.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import type { StatusCounts } from "../../../src/server/storage/storage.ts";

const minute = 60_000;
const start = Date.UTC(2026, 10, 5, 12, 0, 30);

it("counts once for all concurrent callers, and for twenty times as long as it took", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const count = animalCounter({
    countByStatus: async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return new Map();
    },
  });
  const both = Promise.all([count(), count()]);
  await vi.advanceTimersByTimeAsync(100);
  await both;
  await vi.advanceTimersByTimeAsync(1_999);
  await count();
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(2);
  void count();
  expect(asked).toBe(2);
});

describe("animalsJson", () => {
  it("returns the newest of a status, digit for digit, and all counts", async () => {
    const storage = memoryStorage();
    await storage.add({ name: "Rex", categoryId: 2n ** 63n - 1n, status: "sold" });
    await storage.add({ name: "Mia", categoryId: 1n });
    const counts: StatusCounts = new Map([
      ["sold", 7],
      [undefined, 2],
    ]);
    expect(await animalsJson(storage, counts, "sold")).toBe(
      '{"total":9,"counts":{"sold":7,"none":2},"pets":[{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}]}',
    );
    expect(JSON.parse(await animalsJson(storage, new Map(), undefined))).toMatchObject({
      total: 0,
      counts: {},
      pets: [{ name: "Mia" }, { name: "Rex" }],
    });
    await storage.close();
  });
});

/** Returns the limits of a key after this many requests, 300 ms apart. */
async function after(planName: string, requests: number) {
  const storage = memoryStorage();
  const limits = memoryLedger();
  let now = start;
  const key = keyRecord("k", planName);
  await storage.putKey(key, 1);
  const plan = parsePlan(planName) ?? { name: "", quotas: noQuotas };
  for (let count = 0; count < requests; count += 1) {
    await limits.admit(key.id, plan, now);
    now += 300;
  }
  const parts = { storage, limits, now: () => now };
  const found = await keyLimits(parts);
  await storage.close();
  return { id: key.id, ...found };
}

describe("keyLimits", () => {
  it("shows the usage of each window, and when it resets", async () => {
    const { id, now, keys } = await after("3/min,9/day", 2);
    expect(now).toBe(start + 600);
    expect(keys).toEqual([
      {
        id,
        plan: "3/min,9/day",
        windows: [
          { used: 2, limit: 3, resetAt: Date.UTC(2026, 10, 5, 12, 1), seconds: 60 },
          { used: 2, limit: 9, resetAt: Date.UTC(2026, 10, 6), seconds: 86_400 },
        ],
        waitUntil: null,
        bannedUntil: null,
      },
    ]);
  });

  it("shows a wait, and a ban", async () => {
    const { keys: waiting } = await after("1/min,9/day", 2);
    expect(waiting).toMatchObject([{ waitUntil: Date.UTC(2026, 10, 5, 12, 1), bannedUntil: null }]);
    const { keys: banned } = await after("1/min,9/day", 5);
    expect(banned).toMatchObject([{ bannedUntil: start + 4 * 300 + 10 * minute }]);
  });

  it("has no limit if the plan has none, or is unknown", async () => {
    for (const plan of ["enterprise", "of a later version"])
      expect((await after(plan, 0)).keys).toMatchObject([
        { plan, windows: [{ limit: null }, { limit: null }] },
      ]);
  });
});
