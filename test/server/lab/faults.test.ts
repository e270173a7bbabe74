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

const initial = { shares: new Map(), latency: { ms: 5, jitter: 0 } };

describe("X-Pets-Fault", () => {
  const { faultOf } = makeFaults(1, initial, makeScript([], Date.now));
  const invalid = { isKept: false, response: expect.objectContaining({ status: 400 }) };

  it.each([
    ["429", { name: "429", response: expect.objectContaining({ status: 429 }), isKept: false }],
    ["500", { name: "500", response: expect.objectContaining({ status: 500 }) }],
    ["reset", { name: "reset", wire: "reset" }],
    ["truncate", { name: "truncate", wire: "truncate" }],
    ["hang", { name: "hang", wire: "hang" }],
    ["delay=0", { name: "delay=0", delayMs: 5 }],
    ["delay=1500", { name: "delay=1500", delayMs: 1_505 }],
    ["delay=3600000", { delayMs: 3_600_005 }],
    ["delay=3600001", invalid],
    ["delay=99999999999", invalid],
    ["delay=-1", invalid],
    ["delay=1.5", invalid],
    ["delay=", invalid],
    ["delay", invalid],
    ["", invalid],
    ["429, 500", invalid],
    ["constructor", invalid],
  ])("%j", (header, expected) => {
    const headers = { host: "127.0.0.1:80", "x-pets-fault": header };
    const asked = exchangeOf({ headers });
    expect(faultOf(asked, 0, true)).toMatchObject({ delayMs: 5, ...expected });
    // The limits come first.
    const delayMs = "delayMs" in expected ? expected.delayMs : 5;
    expect(faultOf(asked, 0, false)).toMatchObject({ delayMs });
    expect(faultOf(asked, 0, false)).not.toHaveProperty("response");
  });

  it.each(["", "503", "429,500", "delay=-1", "delay=x"].map((value) => [value || " ", value]))(
    "%j is a 400 that names what is allowed",
    async (fault) => {
      const store = await startFaultyStore({ fault: "reset:1", plan: "9/min,9/day" });
      const reply = await askFaulty(store, "GET /v1/pets", { fault });
      expect(reply).toMatchObject({ status: 400, headers: { "x-ratelimit-remaining": "8" } });
      expect(JSON.parse(reply.body).message).toMatch(
        /^X-Pets-Fault: (?:unknown fault ".*"; use 429, 500,|a delay is at most 3600000 ms)/,
      );
    },
  );

  it.each([
    ["without fault injection", "localhost", undefined],
    ["for another Host", "rebound.example", undefined],
    ["with a wrong key", "localhost", "pets_wrong"],
    ["without a key", "localhost", ""],
  ])("has no effect %s", async (what, host, key) => {
    const store = await (what === "without fault injection"
      ? startTestStore()
      : startFaultyStore());
    const reply = await askFaulty(store, "GET /v1/pets", {
      fault: "500",
      host,
      ...(key !== undefined && { key }),
    });
    expect(reply.status).toBe(key === undefined ? 200 : 401);
  });

  it("does not delay a client without a valid key", async () => {
    const store = await startFaultyStore();
    const how = { fault: "delay=60000", key: "pets_wrong" };
    expect((await askFaulty(store, "GET /v1/pets", how)).status).toBe(401);
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
