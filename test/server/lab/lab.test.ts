import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { keyPlaces } from "../../../src/server/lab/lab.ts";
import {
  askFaulty,
  petBody,
  startFaultyStore,
  stateOf,
} from "../../support/servers/faulty-store.ts";
import { startTestStore, type TestStore } from "../../support/servers/store.ts";

const minute = Date.UTC(2026, 10, 5, 12);

const post = (store: TestStore, path: string, body: unknown) =>
  askFaulty(store, `POST /_store/${path}`, {
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const read = async (store: TestStore, path: string) =>
  JSON.parse((await askFaulty(store, `GET /_store/${path}`)).body);

describe("/_store/clock", () => {
  it("tells the store's time, moves it on, sets it, stops it and lets it go on", async () => {
    const store = await startFaultyStore();
    const before = Date.parse((await read(store, "clock")).now);
    expect(JSON.parse((await post(store, "clock", { advance: "61s" })).body).frozen).toBe(false);
    expect(Date.parse((await read(store, "clock")).now)).toBeGreaterThanOrEqual(before + 61_000);
    await post(store, "clock", { set: "2030-12-05T00:00:00Z", frozen: true });
    expect(await read(store, "clock")).toEqual({ now: "2030-12-05T00:00:00.000Z", frozen: true });
    await post(store, "clock", { advance: "+1d" });
    expect(await read(store, "clock")).toEqual({ now: "2030-12-06T00:00:00.000Z", frozen: true });
    await post(store, "clock", { frozen: false });
    expect(await read(store, "clock")).toMatchObject({ frozen: false });
  });

  it.each([
    "{}",
    "[]",
    "later",
    '{"advance":"soon"}',
    '{"advance":"-5s"}',
    '{"advance":61}',
    '{"set":"yesterday"}',
    '{"set":"2001-01-01"}',
    '{"set":1}',
    '{"advance":"9999999d"}',
    '{"frozen":"yes"}',
    '{"advance":"1s","set":"2030-12-05"}',
    '{"freeze":true}',
  ])("refuses %s, and changes nothing", async (body) => {
    const store = await startFaultyStore();
    await post(store, "clock", { frozen: true });
    const before = await read(store, "clock");
    const refused = await post(store, "clock", body);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body).code).toBe("bad_request");
    expect(await read(store, "clock")).toEqual(before);
  });

  it("is what windows, bans, Date and Sunset go by", async () => {
    const store = await startFaultyStore({ plan: "1/min,9/day", banMs: 5_000 });
    await post(store, "clock", { set: "2030-12-04T23:00:10Z", frozen: true });
    const ask = (path = "/v1/pets") => askFaulty(store, `GET ${path}`);
    expect((await ask()).headers.date).toBe("Wed, 04 Dec 2030 23:00:10 GMT");
    expect((await ask()).headers["retry-after"]).toBe("50");
    await new Promise((wake) => setTimeout(wake, 260));
    for (let count = 0; count < 2; count += 1) await ask();
    const banned = await ask();
    expect([JSON.parse(banned.body).code, banned.headers["retry-after"]]).toEqual([
      "key_banned",
      "5",
    ]);
    await post(store, "clock", { advance: "50s" });
    expect((await ask()).status).toBe(200);
    await post(store, "clock", { advance: "1h" });
    expect((await ask("/v1/pets/1")).status).toBe(410);
  });
});

it("a clock that stands ends no wait and no ban, however much real time goes by", async () => {
  let real = minute;
  const limits = { plan: "1/min,9/day", banMs: 5_000 };
  const store = await startFaultyStore({ ...limits, clock: () => real });
  await post(store, "clock", { frozen: true });
  const ask = async () => {
    real += 100_000;
    const { status, headers } = await askFaulty(store, "GET /v1/pets");
    return [status, headers["retry-after"]];
  };
  expect(await ask()).toEqual([200, undefined]);
  for (let count = 0; count < 3; count += 1) expect(await ask()).toEqual([429, "60"]);
  for (let count = 0; count < 3; count += 1) expect(await ask()).toEqual([429, "5"]);
  expect(store.verdict("start")).toMatchObject({ early: 5, bans: 1 });
  await post(store, "clock", { advance: "60s" });
  expect(await ask()).toEqual([200, undefined]);
});

describe("/_store/script", () => {
  it("takes a script's text, tells how often each step was taken, and `off`", async () => {
    const store = await startFaultyStore();
    const given = await post(
      store,
      "script",
      '{"on":"*","do":503,"times":2}\n{"on":"*","do":"ok"}',
    );
    expect(JSON.parse(given.body)).toEqual({
      steps: [
        { on: "*", do: 503, times: 2, taken: 0 },
        { on: "*", do: "ok", taken: 0 },
      ],
    });
    expect((await askFaulty(store, "POST /v1/pets", { body: petBody() })).status).toBe(503);
    expect((await read(store, "script")).steps[0].taken).toBe(1);
    expect(JSON.parse((await post(store, "script", "off")).body)).toEqual({ steps: [] });
  });

  it("refuses what makes no sense with its line, and keeps what was in force", async () => {
    const store = await startFaultyStore({ script: '{"on":"*","do":503}' });
    const refused = await post(store, "script", '{"on":"*","do":"ok"}\n{"on":"*","do":"explode"}');
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body).message).toMatch(/^line 2: do must be/);
    expect((await read(store, "script")).steps).toHaveLength(1);
  });
});

it.each([
  ["faults", "fault, latency, change"],
  ["clock", "advance, set, frozen"],
])("POST /_store/%s names an unknown field and what is allowed", async (path, allowed) => {
  const refused = await post(await startFaultyStore(), path, { "re\nset": 1 });
  expect(refused.status).toBe(400);
  const { message } = JSON.parse(refused.body);
  expect(message).toBe(String.raw`unknown field "re\nset"; fields are ${allowed}`);
});

it.each(["faults", "clock", "script", "reset"])(
  "POST /_store/%s is 403 without a lab, and names it",
  async (path) => {
    const refused = await post(await startTestStore(), path, '{"advance":"1s"}');
    expect(refused.status).toBe(403);
    const message = expect.stringContaining("--lab");
    expect(JSON.parse(refused.body)).toEqual({ code: "forbidden", message, status: 403 });
  },
);

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
