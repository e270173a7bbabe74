import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { memoryLedger } from "../../../../src/server/rate-limits/usage-ledger.ts";
import { open, planNamed, pick } from "../../../support/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/postgres.ts";

const key = keyRecord("some key", "3/min,5/day");
const noon = Date.UTC(2026, 10, 5, 12);

describe.skipIf(!postgresAvailable)("limits in PostgreSQL", () => {
  const server = usePostgres();
  const plan = planNamed(key.plan);

  it("decide as those in memory do, whichever store is asked", async () => {
    const url = await server.createDatabase();
    let moment = noon;
    const now = (): number => moment;
    const stores = await Promise.all([open(url, now), open(url, now)]);
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
          const decision = await stores[store]?.limits.admit(id, plan, moment);
          expect(decision).toEqual(await memory.admit(id, plan, moment));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("are none of a key whose plan is not known, which fails it alone", async () => {
    const url = await server.createDatabase();
    const { storage, limits } = await open(url);
    const other = keyRecord("other key", "free");
    for (const each of [key, other]) await storage.putKey(each, noon);
    await sql(url, `UPDATE pets_store.keys SET plan = 'gold' WHERE id = '${other.id}'`);
    const asked = [key, other].map(({ id }) => limits.admit(id, plan, noon));
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: { allowed: true } },
      { reason: { message: expect.stringContaining("is unknown: gold") } },
    ]);
  });

  it("let exactly as many through as the plan says, asked by three stores at once", async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const pro = keyRecord("pro key", "pro");
    await stores[0].storage.putKey(pro, noon);
    const decisions = await Promise.all(
      Array.from({ length: 1_000 }, (_none, place) =>
        pick(stores, place).limits.admit(pro.id, planNamed("pro"), noon + (place % 50)),
      ),
    );
    expect(decisions.filter((decision) => decision.allowed)).toHaveLength(300);
  });

  it("tell of what was last seen while there is no answer", async () => {
    const url = await server.createDatabase();
    const { storage, limits } = await open(url);
    await storage.putKey(key, noon);
    expect(limits.lastWindow?.(key.id, noon)).toBeUndefined();
    const { window } = await limits.admit(key.id, plan, noon);
    expect(limits.lastWindow?.(key.id, noon + 1)).toEqual(window);
  });
});
