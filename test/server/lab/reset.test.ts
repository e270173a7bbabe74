import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { totalOf } from "../../../src/server/storage/storage.ts";
import {
  startFaultyStore,
  askFaulty,
  petBody,
  codeOf,
  stateOf,
  namesIn,
  type Outcome,
} from "../../support/servers/faulty-store.ts";

describe("a fault before or after the animal is stored", () => {
  it("sends a 500 with the rate limit headers", async () => {
    const store = await startFaultyStore({ plan: "3/min,9/day" });
    const reply = await askFaulty(store, "POST /v1/pets", { body: petBody(), fault: "500" });
    expect(reply).toMatchObject({ status: 500, headers: { "x-ratelimit-remaining": "2" } });
    expect(codeOf(reply)).toBe("internal");
    expect(store.faults).toEqual([]);
  });

  it.each([
    ["500", 500, undefined],
    ["reset", 0, "read ECONNRESET"],
    ["truncate", 201, undefined],
    ["hang", 0, "no answer in time"],
  ])("looks the same to the client: %s", async (...row) => {
    const [fault, status, error] = row;
    const store = await startFaultyStore();
    const patienceMs = fault === "hang" ? 1_500 : 10_000;
    const ask = (_: unknown, n: number): Promise<Outcome> =>
      askFaulty(store, "POST /v1/pets", { body: petBody(`n${n}`), fault, patienceMs });
    const outcomes = await Promise.all(Array.from({ length: 40 }, ask));
    const kept = await namesIn(store);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThan(35);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status, error });
    expect(await stateOf(store)).toMatchObject({
      pets: kept.length,
      requests: { [status]: 40, 200: 1 },
    });
  });

  it("still rejects an invalid body if the reply is truncated", async () => {
    const store = await startFaultyStore();
    for (let count = 0; count < 8; count++) {
      const reply = await askFaulty(store, "POST /v1/pets", { body: "{}", fault: "truncate" });
      expect(reply.status).toBe(400);
    }
    expect(totalOf(await store.storage.countByStatus())).toBe(0);
  });
});

describe("POST /_store/reset", () => {
  it("resets completely while others add and list, without repeating an id", async () => {
    const store = await startFaultyStore({ seed: 500 });
    const adds = Array.from({ length: 60 }, async (_, n) => {
      await sleep(n * 3);
      return askFaulty(store, "POST /v1/pets", { body: petBody(`n${n}`) });
    });
    const resets = [0, 1, 2].map(async (n) => {
      await sleep(n * 50);
      return askFaulty(store, "POST /_store/reset");
    });
    expect((await Promise.all(resets)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await Promise.all(adds)).map(({ status }) => status)).toEqual(Array(60).fill(201));
    const listed = JSON.parse((await askFaulty(store, "GET /v1/pets?limit=100")).body);
    const { pets } = await stateOf(store);
    expect(listed.map(({ id }: { id: number }) => id)).toEqual(
      Array.from({ length: 100 }, (_, place) => pets - place),
    );
    expect(store.faults).toEqual([]);
  });

  it("brings the faults and the latency of the start back, and keeps the time", async () => {
    const store = await startFaultyStore({ fault: "500:1", latency: "5" });
    const faults = async () => JSON.parse((await askFaulty(store, "GET /_store/faults")).body);
    await askFaulty(store, "POST /_store/faults", { body: '{"fault":"","latency":"0"}' });
    store.clock.set(Date.UTC(2031, 0));
    await askFaulty(store, "POST /_store/reset");
    expect(await faults()).toEqual({ fault: "500:1", latency: "5" });
    expect(store.clock.now()).toBeGreaterThanOrEqual(Date.UTC(2031, 0));
  });
});
