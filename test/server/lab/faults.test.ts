import { describe, expect, it } from "vitest";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { makeFaults } from "../../../src/server/lab/faults.ts";
import { makeScript } from "../../../src/server/lab/script.ts";
import { totalOf } from "../../../src/server/storage/storage.ts";
import { exchangeOf } from "../../support/servers/exchange.ts";
import {
  askFaulty,
  codeOf,
  type FaultyStore,
  namesIn,
  type Outcome,
  petBody,
  startFaultyStore,
  stateOf,
} from "../../support/servers/faulty-store.ts";
import { startTestStore } from "../../support/servers/store.ts";

/** Returns how the same 12 adds with each of these keys end. */
const addStatuses = async (keys: readonly string[]) => {
  const store = await startFaultyStore({ fault: "500:0.5" });
  for (const [place, key] of keys.entries())
    await store.storage.putKey(keyRecord(key, "enterprise"), Date.now() + 1_000 * (place + 1));
  const seen = [];
  for (const key of keys)
    for (let n = 0; n < 12; n++) {
      const how = { key, body: petBody(`n${n}`) };
      seen.push((await askFaulty(store, "POST /v1/pets", how)).status);
    }
  return [seen.slice(0, 12), seen.slice(12)];
};

describe("the draw of a request", () => {
  it("depends on the number of its key, not on the key itself", async () => {
    const [first, second] = await addStatuses([makeKey(), makeKey()]);
    expect(second).not.toEqual(first);
    expect(await addStatuses([makeKey(), makeKey()])).toEqual([first, second]);
  });

  it("does not prevent the 413 of a body that is too long", async () => {
    const store = await startFaultyStore({ fault: "500:0.000001" });
    const body = petBody("x".repeat(70_000));
    expect((await askFaulty(store, "POST /v1/pets", { body })).status).toBe(413);
  });
});

const latency = { ms: 5, jitter: 0 };
const responseOf = (status: number, reason: RegExp) => ({
  response: expect.objectContaining({ status, message: expect.stringMatching(reason) }),
});
const unknown = responseOf(400, /^X-Pets-Fault: unknown fault ".*"; use 429, 500,.* or delay=900$/);
const tooLong = responseOf(400, /^X-Pets-Fault: a delay is at most 3600000 ms$/);

describe("X-Pets-Fault", () => {
  const { faultOf } = makeFaults(1, { shares: new Map(), latency }, makeScript([], Date.now));

  it.each([
    ["429", { name: "429", isKept: false, ...responseOf(429, /wait 1 s$/) }],
    ["500", { name: "500", ...responseOf(500, /./) }],
    ["reset", { name: "reset", wire: "reset" }],
    ["truncate", { name: "truncate", wire: "truncate" }],
    ["hang", { name: "hang", wire: "hang" }],
    ["delay=0", { name: "delay=0", delayMs: 5 }],
    ["delay=1500", { name: "delay=1500", delayMs: 1_505 }],
    ["delay=3600000", { delayMs: 3_600_005 }],
    ["delay=3600001", { isKept: false, ...tooLong }],
    ["delay=99999999999", tooLong],
    ["delay=-1", { isKept: false, ...unknown }],
    ["delay=1.5", unknown],
    ["delay=", unknown],
    ["delay", unknown],
    ["", unknown],
    ["503", unknown],
    ["429, 500", unknown],
    ["constructor", unknown],
  ])("%j", (header, expected) => {
    const headers = { host: "127.0.0.1:80", "x-pets-fault": header };
    const asked = exchangeOf({ headers });
    expect(faultOf(asked, 0, true)).toMatchObject({ delayMs: 5, ...expected });
    // The limits come first.
    const delayMs = "delayMs" in expected ? expected.delayMs : 5;
    expect(faultOf(asked, 0, false)).toMatchObject({ delayMs });
    expect(faultOf(asked, 0, false)).not.toHaveProperty("response");
  });

  it("is counted towards the limits where it is a 400, in place of the shares", async () => {
    const store = await startFaultyStore({ fault: "reset:1", plan: "9/min,9/day" });
    const reply = await askFaulty(store, "GET /v1/pets", { fault: "429,500" });
    expect(reply).toMatchObject({ status: 400, headers: { "x-ratelimit-remaining": "8" } });
  });

  it.each<[string, () => Promise<FaultyStore>, { host?: string; key?: string }, number]>([
    ["without a lab", startTestStore, {}, 200],
    ["for another Host", startFaultyStore, { host: "rebound.example" }, 200],
    ["with a wrong key", startFaultyStore, { key: "pets_wrong" }, 401],
    ["without a key", startFaultyStore, { key: "" }, 401],
  ])("has no effect %s", async (_what, start, how, status) => {
    const store = await start();
    for (const fault of ["500", "delay=60000"])
      expect((await askFaulty(store, "GET /v1/pets", { fault, ...how })).status).toBe(status);
  });
});

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

/** Adds animals with these names, one after the other or at once; returns how each ended, and which were stored. */
const outcomes = async (store: FaultyStore, names: readonly string[], areAtOnce = false) => {
  const ask = async (name: string): Promise<string> => {
    const { status } = await askFaulty(store, "POST /v1/pets", { body: petBody(name) });
    return `${name} ${status}`;
  };
  const seen = [];
  if (areAtOnce) seen.push(...(await Promise.all(names.map(ask))));
  else for (const name of names) seen.push(await ask(name));
  const kept = await store.storage.list({ limit: 100, status: undefined });
  const namesKept = JSON.parse(String(kept)).map(({ name }: { name: string }) => name);
  return { seen: seen.toSorted(), kept: namesKept.toSorted() };
};

/** Returns the statuses of 12 lists, with something `between` them. */
const listStatuses = async (plan: string, between: (store: FaultyStore) => Promise<unknown>) => {
  const store = await startFaultyStore({ fault: "500:0.5", faultSeed: 5, plan });
  const seen = [];
  for (let n = 0; n < 12; n++) {
    seen.push((await askFaulty(store, "GET /v1/pets")).status);
    await between(store);
  }
  return seen;
};

const forced = (store: FaultyStore) => askFaulty(store, "GET /v1/pets", { fault: "500" });
const delayed = (store: FaultyStore) => askFaulty(store, "GET /v1/pets", { fault: "delay=1" });

describe("--fault", () => {
  const mix = "429:0.2,500:0.2,reset:0.1,truncate:0.2";
  it("fails the same requests for the same seed, in any order, at once, and after a reset", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `n${n % 50}`);
    const [one, two, other] = await Promise.all([
      startFaultyStore({ fault: mix, faultSeed: 5 }),
      startFaultyStore({ fault: mix, faultSeed: 5 }),
      startFaultyStore({ fault: mix, faultSeed: 6 }),
    ]);
    const first = await outcomes(one, names);
    expect(await outcomes(two, names.toReversed(), true)).toEqual(first);
    expect(await outcomes(other, names)).not.toEqual(first);
    expect(new Set(first.seen.map((line) => line.split(" ")[1]))).toEqual(
      new Set(["0", "201", "429", "500"]),
    );
    await askFaulty(one, "POST /_store/reset");
    expect(await outcomes(one, names)).toEqual(first);
  });

  it("draws nothing for what a header or a real 429 decides", async () => {
    const plain = await listStatuses("enterprise", async () => {});
    expect(new Set(plain)).toEqual(new Set([200, 500]));
    expect(await listStatuses("enterprise", forced)).toEqual(plain);
    expect(await listStatuses("enterprise", delayed)).toEqual(plain);
    expect((await listStatuses("3/min,99/day", forced)).slice(0, 2)).toEqual(plain.slice(0, 2));
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
