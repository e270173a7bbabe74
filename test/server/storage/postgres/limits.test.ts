import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import type { AdmissionDecision } from "../../../../src/server/rate-limits/limits.ts";
import { memoryLedger } from "../../../../src/server/rate-limits/usage-ledger.ts";
import { open, planNamed } from "../../../support/databases/postgres-data.ts";
import {
  postgresAvailable,
  setClock,
  sql,
  stopClock,
  usePostgres,
} from "../../../support/databases/postgres.ts";
import { momentAt, momentsAt } from "../../../support/servers/exchange.ts";
import { codeOf } from "../../../support/servers/faulty-store.ts";
import { sendRaw } from "../../../support/servers/raw.ts";
import { startTestStore } from "../../../support/servers/store.ts";
import { ask, post, rex } from "../../../support/servers/wire.ts";

const noon = Date.UTC(2026, 10, 5, 12);
const minute = 60_000;
const key = keyRecord("some key", "3/min,5/day");

const slowly = { pauseMs: 600 };
const addInParts = (store: { readonly apiKey: string }) => [
  post(store, `Content-Length: ${rex.length}`),
  rex,
];

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
        // The clock stands while a request is decided: one that arrives just after the grace would be within it.
        wait: fc.oneof(
          fc.constantFrom(0, 1, 250, 10_000, 60_000, 600_000),
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
          const decision = await stores[store]?.limits.admit(
            id,
            keyPlan,
            momentsAt(moment + ahead),
          );
          expect(decision).toEqual(
            shifted(await memory.admit(id, keyPlan, momentsAt(moment)), ahead),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  it("count requests as early only if they arrived after the 429 was sent", async () => {
    const url = await server.createDatabase();
    await stopClock(url, noon);
    const ahead = 3 * 24 * 60 * minute;
    let moment = noon;
    const { storage, limits } = await open(url, () => moment + ahead);
    await storage.putKey(key, noon);
    const codesOf = async (arrivals: readonly number[], decidedAt: number) => {
      moment = noon + decidedAt;
      await setClock(url, moment);
      const asked = arrivals.map((ms) =>
        limits.admit(key.id, keyPlan, {
          arrived: momentAt(noon + ahead + ms),
          now: momentAt(moment + ahead),
        }),
      );
      return (await Promise.all(asked)).map((each) => (each.allowed ? "ok" : each.code));
    };
    const waited = [0, 1, 2, 400, 800, 1_200, 1_600];
    const allowed = ["ok", "ok", "ok"];
    const refused = "rate_limited";
    expect(await codesOf(waited, 5_000)).toEqual([...allowed, ...Array(4).fill(refused)]);
    expect(await codesOf([4_000, 4_900], 6_000)).toEqual([refused, refused]);
    expect(await codesOf([20_000, 20_300, 20_600], 20_800)).toEqual([
      refused,
      refused,
      "key_banned",
    ]);
  });

  it("ban no key for requests whose heads had arrived before the 429", async () => {
    const data = await open(await server.createDatabase());
    const store = await startTestStore({ data });
    await data.storage.putKey(keyRecord(store.apiKey, "1/day"), noon);
    const find = vi.spyOn(data.storage, "findKey");
    const late = Array.from({ length: 4 }, () => sendRaw(store.port, addInParts(store), slowly));
    await expect.poll(() => find.mock.calls.length).toBe(late.length);
    await Promise.all([1, 2].map(() => ask(store, "GET", "/v1/pets")));
    const codes = (await Promise.all(late)).flat().map(codeOf);
    expect(codes).toEqual(Array(4).fill("rate_limited"));
  });

  it("do not exist for a key with an unknown plan, whose requests alone fail", async () => {
    const url = await server.createDatabase();
    const { storage, limits } = await open(url);
    const other = keyRecord("other key", "free");
    for (const each of [key, other]) await storage.putKey(each, noon);
    await sql(url, `UPDATE pets_store.keys SET plan = 'gold' WHERE id = '${other.id}'`);
    const asked = [key, other].map(({ id }) => limits.admit(id, keyPlan, momentsAt(noon)));
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: { allowed: true } },
      { reason: { message: expect.stringContaining("is unknown: gold") } },
    ]);
  });

  it("return the last known window while the database does not answer", async () => {
    const url = await server.createDatabase();
    await stopClock(url, noon + minute);
    const { storage, limits } = await open(url, () => noon);
    await storage.putKey(key, noon);
    expect(limits.lastWindow?.(key.id, noon)).toBeUndefined();
    const { window } = await limits.admit(key.id, keyPlan, momentsAt(noon));
    expect(window.resetAt).toBe(noon + minute);
    expect(limits.lastWindow?.(key.id, noon)).toEqual(window);
    expect(limits.lastWindow?.(key.id, noon + minute)).toBeUndefined();
  });
});
