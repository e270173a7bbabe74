import { describe, expect, it } from "vitest";
import { askFaulty, petBody, startFaultyStore } from "../../support/servers/faulty-store.ts";
import { startTestStore, type TestStore } from "../../support/servers/store.ts";

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
