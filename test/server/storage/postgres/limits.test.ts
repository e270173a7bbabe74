import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { type AdmissionDecision, emptyUsage } from "../../../../src/server/rate-limits/limits.ts";
import type { Plan } from "../../../../src/server/rate-limits/plans.ts";
import { memoryLedger } from "../../../../src/server/rate-limits/usage-ledger.ts";
import { admitBatch, type SharedUsage } from "../../../../src/server/storage/postgres/limits.ts";
import { open, pick, planNamed } from "../../../support/databases/postgres-data.ts";
import {
  postgresAvailable,
  setClock,
  sql,
  stopClock,
  usePostgres,
} from "../../../support/databases/postgres.ts";

const noon = Date.UTC(2026, 10, 5, 12);
const minute = 60_000;
const start: SharedUsage = { usage: emptyUsage, seenAt: 0 };

const plan: Plan = {
  name: "2/min,9/day",
  quotas: [
    { limit: 2, windowMs: 60_000 },
    { limit: 9, windowMs: 86_400_000 },
  ],
};

/** Returns the result of each request at these moments: requests left, or a code. */
function outcomes(arrivals: readonly number[]): readonly (number | string)[] {
  let shared = start;
  return arrivals.map((arrival) => {
    const [[decision], next] = admitBatch(plan, shared, [arrival], arrival);
    shared = next;
    return decision?.allowed ? decision.window.remaining : (decision?.code ?? "none");
  });
}

describe("admitBatch", () => {
  it.each([
    [
      "starts no new count if another clock is behind",
      [0, -5, 1, -3],
      [1, 0, "rate_limited", "rate_limited"],
    ],
    ["goes by a clock that was set back", [0, 1, -minute], [1, 0, 1]],
  ])("%s", (_what, moments, expected) => {
    expect(outcomes(moments.map((moment) => noon + moment))).toEqual(expected);
  });

  it("counts a batch in order", () => {
    const [decisions, after] = admitBatch(plan, start, [noon, noon + 0.75, noon + 1], noon + 1);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(after).toMatchObject({
      seenAt: noon + 1,
      usage: { counts: [{ requests: 2 }, { requests: 2 }] },
    });
  });

  it("treats requests as early only if they arrived after the 429 was sent", () => {
    const waited = noon + 5_000;
    // All had arrived when the first was refused, 5 s after its arrival.
    const arrivals = [0, 1, 2, 400, 800, 1_200, 1_600].map((ms) => noon + ms);
    const [, after] = admitBatch(plan, start, arrivals, waited);
    expect(after.usage.refusal).toMatchObject({ at: waited, early: 0 });
    const [decisions] = admitBatch(
      plan,
      after,
      [1, 2, 3].map((n) => waited + n * 300),
      waited + 900,
    );
    expect(decisions.map((decision) => !decision.allowed && decision.code)).toEqual([
      "rate_limited",
      "rate_limited",
      "key_banned",
    ]);
  });
});

const key = keyRecord("some key", "3/min,5/day");

/** Returns `decision` with its times `ms` later. */
const shifted = (decision: AdmissionDecision, ms: number): AdmissionDecision => {
  const window = { ...decision.window, resetAt: decision.window.resetAt + ms };
  return decision.allowed
    ? { ...decision, window }
    : { ...decision, window, until: decision.until + ms };
};

describe.skipIf(!postgresAvailable)("limits in PostgreSQL", () => {
  const server = usePostgres();
  const keyPlan = planNamed(key.plan);

  it("decide like those in memory, whichever store is asked and whatever its clock", async () => {
    const url = await server.createDatabase();
    await stopClock(url, noon);
    let moment = noon;
    const hour = 60 * minute;
    const stores = await Promise.all([open(url, () => moment), open(url, () => moment - hour)]);
    let number = 0;
    const steps = fc.array(
      fc.record({
        wait: fc.oneof(
          fc.constantFrom(0, 1, 250, 251, 999, 60_000, 600_000),
          fc.integer({ min: 0, max: 90_000_000 }),
        ),
        store: fc.integer({ min: 0, max: 1 }),
      }),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (asked) => {
        number += 1;
        const { id, ...rest } = keyRecord(`key ${number}`, key.plan);
        await stores[0].storage.putKey({ id, ...rest }, noon);
        const memory = memoryLedger();
        moment = noon;
        for (const { wait, store } of asked) {
          moment += wait;
          await setClock(url, moment);
          const ahead = store === 0 ? 0 : -hour;
          const decision = await stores[store]?.limits.admit(id, keyPlan, moment + ahead);
          expect(decision).toEqual(shifted(await memory.admit(id, keyPlan, moment), ahead));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("do not exist for a key with an unknown plan, whose requests alone fail", async () => {
    const url = await server.createDatabase();
    const { storage, limits } = await open(url);
    const other = keyRecord("other key", "free");
    for (const each of [key, other]) await storage.putKey(each, noon);
    await sql(url, `UPDATE pets_store.keys SET plan = 'gold' WHERE id = '${other.id}'`);
    const asked = [key, other].map(({ id }) => limits.admit(id, keyPlan, noon));
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: { allowed: true } },
      { reason: { message: expect.stringContaining("is unknown: gold") } },
    ]);
  });

  it("admit exactly as many requests as the plan, from three stores at once", async () => {
    const url = await server.createDatabase();
    await stopClock(url, noon + 2_000);
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const pro = keyRecord("pro key", "pro");
    await stores[0].storage.putKey(pro, noon);
    const decisions = await Promise.all(
      Array.from({ length: 1_000 }, (_none, place) =>
        pick(stores, place).limits.admit(pro.id, planNamed("pro"), Date.now() - (place % 50)),
      ),
    );
    expect(decisions.filter((decision) => decision.allowed)).toHaveLength(300);
  });

  it("return the last known window while the database does not answer", async () => {
    const url = await server.createDatabase();
    await stopClock(url, noon + minute);
    const { storage, limits } = await open(url, () => noon);
    await storage.putKey(key, noon);
    expect(limits.lastWindow?.(key.id)).toBeUndefined();
    const { window } = await limits.admit(key.id, keyPlan, noon);
    expect(window.resetAt).toBe(noon + minute);
    expect(limits.lastWindow?.(key.id)).toEqual(window);
  });
});
