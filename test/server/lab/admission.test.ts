import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  startFaultyStore,
  askFaulty,
  codeOf,
  stateOf,
} from "../../support/servers/faulty-store.ts";

const minute = Date.UTC(2026, 10, 5, 12, 0);

describe("X-Pets-Fault: 429", () => {
  it("has every header of a real 429, counts in no window, and leads to no ban", async () => {
    let now = minute + 58_000;
    const store = await startFaultyStore({ plan: "3/min,9/day", clock: () => now });
    const forced = [];
    for (let count = 0; count < 5; count++) {
      forced.push(await askFaulty(store, "GET /v1/pets", { fault: "429" }));
      now += 300;
    }
    for (let count = 0; count < 3; count++)
      expect((await askFaulty(store, "GET /v1/pets")).status).toBe(200);
    const real = await askFaulty(store, "GET /v1/pets");
    expect(real).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    const own = { date: expect.any(String), "content-length": expect.any(String) };
    for (const reply of forced) {
      expect([reply.status, codeOf(reply)]).toEqual([429, codeOf(real)]);
      expect(reply.headers).toEqual({ ...real.headers, ...own, "x-ratelimit-remaining": "3" });
    }
    expect(await stateOf(store)).toMatchObject({ bans: 0, requests: { 429: 6 } });
  });

  it("applies only after the limits themselves", async () => {
    const store = await startFaultyStore({ plan: "1/min,9/day", clock: () => minute });
    await askFaulty(store, "GET /v1/pets");
    for (const fault of ["429", "500", "reset", "truncate", "hang"]) {
      const reply = await askFaulty(store, "GET /v1/pets", { fault });
      expect(reply).toMatchObject({ status: 429, headers: { "retry-after": "60" } });
    }
  });
});

describe("waits", () => {
  it("ban nobody for what was sent before the 429 arrived", async () => {
    let now = minute;
    const store = await startFaultyStore({ plan: "1/min,9/day", clock: () => now, latency: "400" });
    await askFaulty(store, "GET /v1/pets");
    const first = askFaulty(store, "GET /v1/pets");
    // Waits until it is refused, which is known before its response is sent.
    const waits = async () => JSON.parse((await askFaulty(store, "GET /_store/limits")).body);
    while ((await waits()).keys[0].waitUntil === null) await sleep(5);
    now += 300;
    const others = [1, 2, 3, 4].map(() => askFaulty(store, "GET /v1/pets"));
    expect((await Promise.all([first, ...others])).map(codeOf)).toEqual(
      Array(5).fill("rate_limited"),
    );
    expect(await stateOf(store)).toMatchObject({ early: 0, bans: 0 });
    now += 251;
    const late = [];
    for (let count = 0; count < 3; count++)
      late.push(codeOf(await askFaulty(store, "GET /v1/pets")));
    expect(late).toEqual(["rate_limited", "rate_limited", "key_banned"]);
    expect(await stateOf(store)).toMatchObject({ early: 3, bans: 1 });
  });

  it("count the requests during a Retry-After, forced or not, except those in flight", async () => {
    let now = minute;
    const store = await startFaultyStore({ plan: "2/min,9/day", clock: () => now });
    const at = async (ms: number, fault = "") => {
      now = minute + ms;
      await askFaulty(store, "GET /v1/pets", { fault });
      return (await stateOf(store)).early;
    };
    expect(await at(0, "429")).toBe(0);
    expect(await at(250)).toBe(0);
    expect(await at(251)).toBe(1);
    // The limit is now reached.
    expect(await at(2_000)).toBe(1);
    expect(await at(2_250)).toBe(1);
    expect(await at(2_300)).toBe(2);
    expect(await at(60_000)).toBe(2);
  });
});
