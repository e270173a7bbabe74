import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../src/server/keys.ts";
import type { RequestEntry } from "../../../src/server/request-log/types.ts";
import {
  startFaultyStore,
  askFaulty,
  petBody,
  stateOf,
} from "../../support/servers/faulty-store.ts";
import { startTestStore, type TestStore } from "../../support/servers/store.ts";

const minute = Date.UTC(2026, 10, 5, 12, 0);

/** Returns what `GET /_store/requests` lists, which is sent in parts. */
async function requestsOf({ baseUrl, apiKey }: TestStore, query = ""): Promise<RequestEntry[]> {
  const url = new URL(`/_store/requests${query}`, baseUrl);
  const response = await fetch(url, { headers: { Authorization: `Bearer ${apiKey}` } });
  return response.json() as Promise<RequestEntry[]>;
}

describe("below /_store", () => {
  it("can be read without --lab", async () => {
    const store = await startTestStore({ seed: 2 });
    await askFaulty(store, "GET /v1/pets");
    expect(await stateOf(store)).toEqual({ pets: 2, requests: { 200: 1 }, early: 0, bans: 0 });
    const faults = await askFaulty(store, "GET /_store/faults");
    expect(JSON.parse(faults.body)).toEqual({ fault: "", latency: "0" });
  });

  it("lists requests, with the fault that the header asks for", async () => {
    const store = await startFaultyStore();
    for (const fault of ["", "delay=1"]) await askFaulty(store, "GET /v1/pets", { fault });
    const listed = await requestsOf(store);
    expect(listed.at(-1)).toMatchObject({ fault: "delay=1" });
    expect(await requestsOf(store, "?last=1")).toEqual(listed.slice(-1));
    const one = await askFaulty(store, `GET /_store/requests/${listed.at(-1)?.id}`);
    expect(JSON.parse(one.body)).toEqual(listed.at(-1));
  });

  it("tells two bans of 5 s, 10 s apart, in the state as in the verdict", async () => {
    let now = minute;
    const store = await startFaultyStore({ plan: "1/h,9/day", banMs: 5_000, clock: () => now });
    for (let count = 0; count < 5; count += 1, now += 300) await askFaulty(store, "GET /v1/pets");
    now = minute + 11_200;
    for (let count = 0; count < 4; count += 1, now += 300) await askFaulty(store, "GET /v1/pets");
    const state = await stateOf(store);
    expect(state.bans).toBe(2);
    const { early, bans, requests } = store.verdict("start");
    expect(state).toEqual({ pets: 0, requests, early, bans });
    const listed = await requestsOf(store);
    expect(listed.filter((entry) => entry.early)).toHaveLength(early);
  });

  it.each([
    ["GET /_store/state", { host: "evil.example" }, 404],
    ["POST /_store/reset", { host: "evil.example" }, 404],
    ["POST /_store/reset", { key: "" }, 401],
    ["POST /_store/faults", { key: "pets_wrong", body: "{}" }, 401],
    ["GET /_store/state", { key: "" }, 401],
    ["GET /_store/nothing", {}, 404],
    ["GET /_store", {}, 404],
    ["GET /_store/reset", {}, 405],
    ["POST /_store/state", {}, 405],
    ["HEAD /_store/state", {}, 200],
    ["POST /_store/faults", {}, 400],
    ["POST /_store/faults", { body: "[]" }, 400],
    ["POST /_store/faults", { body: "null" }, 400],
    ["POST /_store/faults", { body: '{"fault":5}' }, 400],
    ["POST /_store/faults", { body: '{"latency":"5","more":1}' }, 400],
    ["POST /_store/faults", { body: '{"fault":"500:2"}' }, 400],
    ["POST /_store/faults", { body: '{"fault":"500:1","latency":"soon"}' }, 400],
    ["POST /_store/faults", { body: '{"change":"500:2"}' }, 400],
    ["GET /_store/requests/none-1", {}, 404],
    ["POST /_store/faults", { body: " ".repeat(70_000) }, 413],
  ])("%s with %j is %d, and changes nothing", async (line, how, status) => {
    const store = await startFaultyStore({ seed: 2 });
    await store.storage.add({ name: "Rex", categoryId: 1n });
    const reply = await askFaulty(store, line, how);
    expect(reply.status).toBe(status);
    expect(reply.headers).not.toHaveProperty("x-ratelimit-limit");
    expect(reply.headers["www-authenticate"]).toBe(status === 401 ? "Bearer" : undefined);
    expect(reply.headers.allow ?? "none").toMatch(
      status === 405 ? /^(?:POST|GET, HEAD)(?:, POST)?$/ : /none/,
    );
    expect(await stateOf(store)).toEqual({ pets: 3, requests: {}, early: 0, bans: 0 });
    expect((await askFaulty(store, "GET /v1/pets")).status).toBe(200);
  });

  it("changes the given faults or one of them, and keeps the rest", async () => {
    const store = await startFaultyStore({ fault: "500:1" });
    const change = async (body: string) =>
      JSON.parse((await askFaulty(store, "POST /_store/faults", { body })).body);
    expect(await change("{}")).toEqual({ fault: "500:1", latency: "0" });
    expect(await change('{"latency":"5+-3"}')).toEqual({ fault: "500:1", latency: "5±3" });
    expect((await askFaulty(store, "GET /v1/pets")).status).toBe(500);
    expect(await change('{"fault":"429:1"}')).toEqual({ fault: "429:1", latency: "5±3" });
    expect((await askFaulty(store, "GET /v1/pets")).status).toBe(429);
    expect(await change('{"fault":"","latency":""}')).toEqual({ fault: "", latency: "0" });
    expect((await askFaulty(store, "GET /v1/pets")).status).toBe(200);
    expect(await change('{"fault":"429:0.8"}')).toMatchObject({ fault: "429:0.8" });
    expect(await change('{"change":"500:0.2"}')).toMatchObject({ fault: "429:0.8,500:0.2" });
    expect(await change('{"change":"hang:0.1"}')).toMatchObject({ code: "bad_request" });
    expect(await change('{"change":"429:0"}')).toMatchObject({ fault: "500:0.2" });
  });

  it("ends a stream when the key that opened it is revoked, and sends it nothing more", async () => {
    const store = await startTestStore();
    const other = keyRecord("other", "free", true);
    await store.storage.putKey(other, 0);
    const url = new URL("/_store/events", store.baseUrl);
    const headers = { Authorization: "Bearer other" };
    const [idle, busy] = [await fetch(url, { headers }), await fetch(url, { headers })];
    await store.storage.removeKey(other.id);
    await askFaulty(store, "GET /v1/pets");
    for (const stream of [idle, busy])
      expect((await stream.text()).replaceAll(":\n\n", "")).toBe("");
  });

  it("works during a ban, which a reset lifts with all counts", async () => {
    let now = minute;
    const store = await startFaultyStore({ plan: "1/min,2/day", seed: 2, clock: () => now });
    const first = await askFaulty(store, "POST /v1/pets", { body: petBody() });
    await askFaulty(store, "GET /v1/pets", { key: "" });
    await askFaulty(store, "GET /v1/pets");
    now += 300;
    for (let count = 0; count < 4; count++) await askFaulty(store, "GET /v1/pets");
    const before = { pets: 3, requests: { 201: 1, 401: 1, 429: 5 }, early: 4, bans: 1 };
    expect(await stateOf(store)).toEqual(before);
    const reply = await askFaulty(store, "POST /_store/reset");
    const fresh = { pets: 2, requests: {}, early: 0, bans: 0 };
    expect(reply).toMatchObject({ status: 200, body: JSON.stringify(fresh) });
    const again = await askFaulty(store, "POST /v1/pets", { body: petBody() });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers["x-ratelimit-remaining"]).toBe("0");
    const stranger = await askFaulty(store, "GET /v1/pets", { key: "" });
    expect(stranger.headers["x-ratelimit-remaining"]).toBe("59");
  });
});
