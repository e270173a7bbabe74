import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultPlan, seededDraws } from "../../../src/server/faults/plan.ts";
import {
  startFaultyStore,
  askFaulty,
  petBody,
  type FaultyStore,
} from "../../support/faulty-store.ts";

const run = async (store: FaultyStore) => {
  const seen = [];
  for (let n = 0; n < 60; n++) {
    const { status, body } = await askFaulty(store, "POST /v1/pets", { body: petBody(`n${n}`) });
    seen.push(`${status} ${body}`);
  }
  return { seen, kept: await store.storage.list({ limit: 100, status: undefined }) };
};

describe("--fault", () => {
  const mix = "429:0.2,500:0.2,reset:0.1,truncate:0.2";
  it("fails the same requests for the same seed, and again after a reset", async () => {
    const [one, two, other] = await Promise.all([
      startFaultyStore({ fault: mix, faultSeed: 5 }),
      startFaultyStore({ fault: mix, faultSeed: 5 }),
      startFaultyStore({ fault: mix, faultSeed: 6 }),
    ]);
    const [first, second, third] = await Promise.all([run(one), run(two), run(other)]);
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
    for (const status of [0, 201, 429, 500])
      expect(first.seen.some((line) => line.startsWith(`${status} `))).toBe(true);
    await askFaulty(one, "POST /_store/reset");
    expect(await run(one)).toEqual(first);
  });

  it("fails only requests below /v1 with a valid key", async () => {
    const store = await startFaultyStore({ fault: "reset:1" });
    expect((await askFaulty(store, "GET /healthz")).status).toBe(200);
    expect((await askFaulty(store, "GET /openapi.json")).status).toBe(200);
    expect((await askFaulty(store, "GET /_store/state")).status).toBe(200);
    expect((await askFaulty(store, "GET /v1/pets", { key: "" })).status).toBe(401);
    for (const target of ["/v1/pets", "/v1/nothing", "/x/../v1/pets", "http://h/v1/pets/1"])
      expect((await askFaulty(store, `GET ${target}`)).status).toBe(0);
  });
});

describe("seededDraws", () => {
  it("draws the same numbers for the same seed, and again after a reset", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
        const one = seededDraws(seed);
        const other = seededDraws(seed);
        const draws = Array.from({ length: 5 }, () => one.next());
        expect(Array.from({ length: 5 }, () => other.next())).toEqual(draws);
        one.reset();
        expect(Array.from({ length: 5 }, () => one.next())).toEqual(draws);
        for (const draw of draws)
          for (const number of Object.values(draw)) {
            expect(number).toBeGreaterThanOrEqual(0);
            expect(number).toBeLessThan(1);
          }
      }),
    );
  });
});

const startPlan = () =>
  faultPlan({ faults: new Map([["500", 1]]), latency: { ms: 5, jitter: 0 }, seed: 1 });

describe("faultPlan", () => {
  it("plans as it is set", () => {
    expect(startPlan().next()).toMatchObject({ fault: "500", delayMs: 5, headerError: undefined });
  });

  it("changes what is given, and keeps the rest", () => {
    const plan = startPlan();
    expect(plan.change({ fault: "reset:1" })).toEqual({ fault: "reset:1", latency: "5" });
    expect(plan.next()).toMatchObject({ fault: "reset", delayMs: 5 });
    expect(plan.change({ fault: "", latency: "" })).toEqual({ fault: "", latency: "0" });
    expect(plan.next()).toMatchObject({ fault: undefined, delayMs: 0 });
  });

  it.each([{ fault: 5 }, { fault: "500:2" }, { fault: "429:1", latency: "1s" }])(
    "refuses %j, and changes nothing",
    (body) => {
      const plan = startPlan();
      expect(() => plan.change(body)).toThrow(/must be a string/);
      expect(plan.change({})).toEqual({ fault: "500:1", latency: "5" });
    },
  );
});
