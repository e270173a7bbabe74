import { describe, expect, it } from "vitest";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { makeFaults } from "../../../src/server/lab/faults.ts";
import { keyPlaces } from "../../../src/server/lab/lab.ts";
import { makeScript } from "../../../src/server/lab/script.ts";
import { exchangeOf } from "../../support/servers/exchange.ts";
import { askFaulty, petBody, startFaultyStore } from "../../support/servers/faulty-store.ts";
import { startTestStore } from "../../support/servers/store.ts";

const stored = (...ids: readonly string[]) =>
  ids.map((id, createdAt) => ({ id, plan: "free", isOperator: false, createdAt }));

describe("keyPlaces", () => {
  it("numbers keys in the order in which they were made", async () => {
    let keys = stored("b", "a");
    const place = keyPlaces({ listKeys: async () => keys });
    expect([await place("a"), await place("b"), await place("x")]).toEqual([1, 0, undefined]);
    // A key keeps its place when another is removed.
    keys = stored("a", "c");
    expect([await place("c"), await place("a")]).toEqual([2, 1]);
  });
});

/** Returns how the same 12 adds with each of these keys end. */
const statuses = async (keys: readonly string[]) => {
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
    const [first, second] = await statuses([makeKey(), makeKey()]);
    expect(second).not.toEqual(first);
    expect(await statuses([makeKey(), makeKey()])).toEqual([first, second]);
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
