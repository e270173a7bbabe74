import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { unauthorized } from "../../../src/server/api/errors.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { StorageError } from "../../../src/server/storage/storage.ts";
import { momentAt } from "../../support/servers/exchange.ts";
import {
  askFaulty,
  codeOf,
  startFaultyStore,
  stateOf,
} from "../../support/servers/faulty-store.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { rex, ask } from "../../support/servers/wire.ts";

const minute = Date.UTC(2026, 10, 5, 12);

describe("keys", () => {
  const refused: readonly (readonly [string, (key: string) => readonly string[]])[] = [
    ["none", () => []],
    ["an empty header", () => ["Authorization:"]],
    ["another key", () => ["Authorization: Bearer pets_nobody"]],
    ["a longer key", (key) => [`Authorization: Bearer ${key}x`]],
    ["a shorter key", (key) => [`Authorization: Bearer ${key.slice(0, -1)}`]],
    ["the key without scheme", (key) => [`Authorization: ${key}`]],
    ["another scheme", (key) => [`Authorization: Basic ${key}`]],
    ["two headers", (key) => [`Authorization: Bearer ${key}`, `authorization: Bearer ${key}`]],
  ];

  it.each(refused)("%s is 401", async (_what, headers) => {
    const store = await startTestStore({ clock: () => 1e12 });
    const reply = await ask(store, "GET", "/v1/pets", { headers: headers(store.apiKey) });
    expect(reply).toMatchObject({
      status: 401,
      headers: {
        "www-authenticate": "Bearer",
        "content-type": "application/json",
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "59",
        "x-ratelimit-reset": "1000000020",
      },
    });
    expect(JSON.parse(reply.body)).toMatchObject({ code: "unauthorized", status: 401 });
  });

  it("never cause a 429 if they are invalid", async () => {
    const store = await startTestStore({ clock: () => 1e12 });
    for (let count = 0; count < 70; count++) {
      const { status, headers } = await ask(store, "GET", "/v1/pets", { headers: [] });
      expect(status).toBe(401);
      expect(headers["x-ratelimit-remaining"]).toBe(String(Math.max(0, 59 - count)));
    }
  });

  it.each([
    ["an unknown path", "GET", "/v1/nothing"],
    ["another method", "PUT", "/v1/pets"],
    ["a long body", "POST", "/v1/pets"],
    ["the version alone", "GET", "/v1"],
  ])("are checked before %s", async (_what, method, target) => {
    const store = await startTestStore();
    const body = target === "/v1/pets" ? "x".repeat(70_000) : "";
    expect((await ask(store, method, target, { headers: [], body })).status).toBe(401);
  });
});

describe("limits", () => {
  it.each(["GET", "HEAD"])("are shown to a key with an unknown plan: %s", async (method) => {
    const store = await startTestStore({ plan: "gold" });
    const headers = { authorization: `Bearer ${store.apiKey}` };
    const reply = await fetch(`${store.baseUrl}/pets`, { method, headers });
    expect(reply.status).toBe(500);
    expect(reply.headers.get("x-ratelimit-limit")).toBe("60");
    expect(String(store.faults[0])).toContain("is unknown: gold");
  });

  it("are in every reply below /v1, and count every admitted request", async () => {
    let now = minute + 30_500;
    const store = await startTestStore({ plan: "6/min,99/day", clock: () => now });
    const requests = [
      ["GET", "/v1/pets", "", 200],
      ["GET", "/v1/nothing", "", 404],
      ["PUT", "/v1/pets", "", 405],
      ["POST", "/v1/pets", "{}", 400],
      ["POST", "/v1/pets", "x".repeat(70_000), 413],
      ["POST", "/v1/pets", rex, 201],
    ] as const;
    for (const [place, [method, target, body, status]] of requests.entries()) {
      const reply = await ask(store, method, target, { body });
      expect(reply).toMatchObject({
        status,
        headers: {
          "x-ratelimit-limit": "6",
          "x-ratelimit-remaining": String(5 - place),
          "x-ratelimit-reset": String((minute + 60_000) / 1000),
          date: "Thu, 05 Nov 2026 12:00:30 GMT",
        },
      });
    }
    const refused = await ask(store, "GET", "/v1/nothing");
    expect(refused).toMatchObject({
      status: 429,
      headers: {
        "retry-after": "30",
        "x-ratelimit-remaining": "0",
        "content-type": "application/json",
      },
    });
    expect(codeOf(refused)).toBe("rate_limited");
    now += 251;
    const codes = [];
    for (let count = 0; count < 3; count++) codes.push(codeOf(await ask(store, "GET", "/v1/pets")));
    expect(codes).toEqual(["rate_limited", "rate_limited", "key_banned"]);
    now += 1000;
    const banned = await ask(store, "POST", "/v1/pets", { body: rex });
    expect(banned).toMatchObject({ status: 429, headers: { "retry-after": "599" } });
    now += 599_000;
    expect((await ask(store, "GET", "/v1/pets")).status).toBe(200);
  });
});

describe("the window of a request on which no decision was possible", () => {
  const resetAt = minute + 60_000;
  const ownWindow = { limit: 9, remaining: 3, resetAt };
  it.each([
    ["its key's last one", new StorageError("away", "unavailable", "x"), ownWindow, 503, "9"],
    [
      "the address's if that has ended",
      new StorageError("away", "unavailable", "x"),
      undefined,
      503,
      "60",
    ],
    ["the address's if the key was revoked", unauthorized("x"), ownWindow, 401, "60"],
  ])("is %s", async (_what, error, window, status, limit) => {
    const storage = memoryStorage();
    const limits = {
      ...memoryLedger(),
      admit: () => Promise.reject(error),
      lastWindow: () => window,
    };
    const store = await startTestStore({ clock: () => minute, storage, data: { storage, limits } });
    const reply = await ask(store, "GET", "/v1/pets");
    const headers = { "x-ratelimit-limit": limit, "x-ratelimit-reset": String(resetAt / 1_000) };
    expect(reply).toMatchObject({ status, headers });
  });
});

describe("waits", () => {
  it("are decided by when a request arrived, however long its key is looked up", async () => {
    let now = minute;
    const storage = memoryStorage();
    const limits = memoryLedger();
    const findKey = storage.findKey.bind(storage);
    vi.spyOn(storage, "findKey").mockImplementation(async (id) => {
      now += 400;
      return findKey(id);
    });
    const admit = vi.spyOn(limits, "admit");
    const store = await startTestStore({ clock: () => now, storage, data: { storage, limits } });
    await ask(store, "GET", "/v1/pets");
    expect(admit.mock.lastCall?.[2]).toEqual({
      arrived: momentAt(minute),
      now: momentAt(minute + 400),
    });
  });

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
