import { describe, expect, it } from "vitest";
import {
  askFaulty,
  namesIn,
  petBody,
  startFaultyStore,
  stateOf,
} from "../../support/servers/faulty-store.ts";

it.each([
  ["/v1/pets", true],
  ["/v1/nothing", true],
  ["/healthz", false],
  ["/_store/state", false],
  ["/openapi.json", false],
])("makes trouble at %s: %s", async (path, isMet) => {
  const store = await startFaultyStore({ fault: "reset:1" });
  expect((await askFaulty(store, `GET ${path}`)).status === 0).toBe(isMet);
});

describe("X-Pets-Fault", () => {
  it("is for requests from this machine, for a name of it", async () => {
    const store = await startFaultyStore();
    const here = await askFaulty(store, "GET /v1/pets", { fault: "500" });
    const rebound = await askFaulty(store, "GET /v1/pets", { fault: "500", host: "evil.example" });
    expect([here.status, rebound.status]).toEqual([500, 200]);
  });
});

describe("a reset", () => {
  it("restores the seed, the counts and the draws, so that everything repeats", async () => {
    const store = await startFaultyStore({ seed: 3, fault: "500:0.5", faultSeed: 4 });
    const draw = async (): Promise<number[]> => {
      const statuses: number[] = [];
      for (let count = 0; count < 12; count += 1)
        statuses.push((await askFaulty(store, "GET /v1/pets")).status);
      return statuses;
    };
    const first = await draw();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    await askFaulty(store, "POST /v1/pets", { body: petBody("Extra") });
    await askFaulty(store, "POST /_store/reset");
    expect(await stateOf(store)).toEqual({ pets: 3, requests: {}, early: 0, bans: 0 });
    expect(await draw()).toEqual(first);
    await askFaulty(store, "POST /_store/faults", { body: '{"fault":"off"}' });
    expect(await namesIn(store)).not.toContain("Extra");
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
