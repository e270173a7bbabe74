import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { identityDraws, makeFaults, type RequestIdentity } from "../../../src/server/lab/faults.ts";
import { makeScript } from "../../../src/server/lab/script.ts";
import { totalOf } from "../../../src/server/storage/storage.ts";
import { arrivedRequest } from "../../support/servers/exchange.ts";
import {
  askFaulty,
  codeOf,
  namesIn,
  type Outcome,
  petBody,
  startFaultyStore,
  stateOf,
} from "../../support/servers/faulty-store.ts";
import { startTestStore, type TestStore } from "../../support/servers/store.ts";

describe("the draw of a request", () => {
  it("depends on which of the store's keys it has", async () => {
    const store = await startFaultyStore({ fault: "500:0.5" });
    const other = makeKey();
    await store.storage.putKey(keyRecord(other, "enterprise"), Date.now() + 1_000);
    const statuses = async (key: string) => {
      const seen = [];
      for (let n = 0; n < 12; n++)
        seen.push((await askFaulty(store, "GET /v1/pets", { key })).status);
      return seen;
    };
    const drawn = await statuses(other);
    await askFaulty(store, "POST /_store/reset");
    expect(await statuses(store.apiKey)).not.toEqual(drawn);
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
const refused = responseOf(
  400,
  /^X-Pets-Fault must be 429, 500,.* or a delay up to 1h, such as delay=900, not ".*"$/,
);

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
    ["delay=3600001", { isKept: false, ...refused }],
    ["delay=99999999999", refused],
    ["delay=-1", { isKept: false, ...refused }],
    ["delay=1.5", refused],
    ["delay=2s", { name: "delay=2000", delayMs: 2_005 }],
    ["delay=", refused],
    ["delay", refused],
    ["", refused],
    ["503", refused],
    ["429, 500", refused],
    ["constructor", refused],
  ])("%j", (header, expected) => {
    const headers = { host: "127.0.0.1:80", "x-pets-fault": header };
    const asked = { request: arrivedRequest({ headers }), place: 0 };
    expect(faultOf(asked, true)).toMatchObject({ delayMs: 5, ...expected });
    // The limits come first.
    const delayMs = "delayMs" in expected ? expected.delayMs : 5;
    expect(faultOf(asked, false)).toMatchObject({ delayMs });
    expect(faultOf(asked, false)).not.toHaveProperty("response");
  });

  it("is counted towards the limits where it is a 400, in place of the shares", async () => {
    const store = await startFaultyStore({ fault: "reset:1", plan: "9/min,9/day" });
    const reply = await askFaulty(store, "GET /v1/pets", { fault: "429,500" });
    expect(reply).toMatchObject({ status: 400, headers: { "x-ratelimit-remaining": "8" } });
  });

  it.each<
    [
      string,
      () => Promise<TestStore>,
      { host?: string; key?: string; headers?: readonly string[] },
      number,
    ]
  >([
    ["without a lab", startTestStore, {}, 403],
    ["for another Host", startFaultyStore, { host: "rebound.example" }, 403],
    ["through a proxy", startFaultyStore, { headers: ["Via: 1.1 x"] }, 403],
    ["with a wrong key", startFaultyStore, { key: "pets_wrong" }, 401],
    ["without a key", startFaultyStore, { key: "" }, 401],
  ])("is refused %s", async (_what, start, how, status) => {
    const store = await start();
    for (const fault of ["500", "delay=60000"])
      expect((await askFaulty(store, "GET /v1/pets", { fault, ...how })).status).toBe(status);
  });

  it("as 429 has every header of a real one, counts in no window, and leads to no ban", async () => {
    let now = Date.UTC(2026, 10, 5, 12, 0, 58);
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
    const store = await startFaultyStore({
      plan: "1/min,9/day",
      clock: () => Date.UTC(2026, 10, 5, 12),
    });
    await askFaulty(store, "GET /v1/pets");
    for (const fault of ["429", "500", "reset", "truncate", "hang"]) {
      const reply = await askFaulty(store, "GET /v1/pets", { fault });
      expect(reply).toMatchObject({ status: 429, headers: { "retry-after": "60" } });
    }
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
    const patienceMs = fault === "hang" ? 1_500 : 60_000;
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
const outcomes = async (store: TestStore, names: readonly string[], areAtOnce = false) => {
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
const listStatuses = async (plan: string, between: (store: TestStore) => Promise<unknown>) => {
  const store = await startFaultyStore({ fault: "500:0.5", faultSeed: 5, plan });
  const seen = [];
  for (let n = 0; n < 12; n++) {
    seen.push((await askFaulty(store, "GET /v1/pets")).status);
    await between(store);
  }
  return seen;
};

const forced = (store: TestStore) => askFaulty(store, "GET /v1/pets", { fault: "500" });
const delayed = (store: TestStore) => askFaulty(store, "GET /v1/pets", { fault: "delay=1" });

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
    for (const target of ["/v1/pets", "/v1/nothing", "/v1/../v1/pets", "http://h/v1/pets/1"])
      expect((await askFaulty(store, `GET ${target}`)).status).toBe(0);
  });
});

const post = {
  method: "POST",
  target: "/v1/pets",
  body: Buffer.from('{"name":"Rex","categoryId":1}'),
  key: 0,
} as const;

const anyIdentity: fc.Arbitrary<RequestIdentity> = fc.record({
  method: fc.constantFrom("GET", "POST"),
  target: fc.constantFrom("/v1/pets", "/v1/pets?limit=1", "/v1/pets/1"),
  body: fc.constantFrom(undefined, Buffer.from(""), Buffer.from("{}")),
  key: fc.constantFrom(0, 1),
  header: fc.constantFrom(undefined, "500" as const),
});
const anySeed = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe("identityDraws", () => {
  it("gives a request the same numbers whatever other requests come between", () => {
    fc.assert(
      fc.property(anySeed, fc.array(anyIdentity), (seed, others) => {
        const mine = { ...post, target: "/v1/mine" };
        const source = identityDraws(seed);
        const alone = [source.next(mine), source.next(mine)];
        source.reset();
        const first = source.next(mine);
        for (const other of others) source.next(other);
        expect([first, source.next(mine)]).toEqual(alone);
      }),
    );
  });

  it.each([
    ["method", { ...post, method: "PUT" }],
    ["path", { ...post, target: "/v1/pets/" }],
    ["query", { ...post, target: "/v1/pets?" }],
    ["body", { ...post, body: Buffer.from('{"name":"Rex","categoryId":2}') }],
    ["missing body", { ...post, body: undefined }],
    ["key", { ...post, key: 1 }],
    ["header", { ...post, header: "500" as const }],
  ])("gives a request with a different %s different numbers", (_what, other) => {
    expect(identityDraws(1).next(other)).not.toEqual(identityDraws(1).next(post));
  });

  it("gives the next equal request, and a different seed, different numbers", () => {
    const source = identityDraws(1);
    const first = source.next(post);
    expect(source.next(post)).not.toEqual(first);
    expect(identityDraws(2).next(post)).not.toEqual(first);
    source.reset();
    expect(source.next(post)).toEqual(first);
  });

  it("counts the last different requests, and starts again with one before those", () => {
    const source = identityDraws(1, 10);
    const ask = (from: number, count: number) => {
      for (let n = from; n < from + count; n += 1)
        source.next({ ...post, target: `/v1/pets/${n}` });
    };
    const [first, second, third] = [source.next(post), source.next(post), source.next(post)];
    source.reset();
    expect(source.next(post)).toEqual(first);
    ask(0, 10);
    expect(source.next(post)).toEqual(second);
    ask(10, 10);
    expect(source.next(post)).toEqual(third);
    ask(20, 20);
    expect(source.next(post)).toEqual(first);
  });

  it("draws from 0 up to 1, evenly", () => {
    const source = identityDraws(7);
    const draws = Array.from({ length: 2_000 }, () => source.next(post));
    for (const name of ["fault", "moment", "cut", "latency"] as const) {
      const numbers = draws.map((draw) => draw[name]);
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...numbers)).toBeLessThan(1);
      const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
      expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
    }
  });
});
