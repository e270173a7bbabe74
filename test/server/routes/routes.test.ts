import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { type RawReply, sendRaw } from "../../support/raw.ts";
import { startTestStore, type TestStore } from "../../support/store.ts";

/** One request over a connection of its own; `Authorization` stands in it unless `headers` has one. */
async function ask(
  { port, apiKey }: TestStore,
  method: string,
  target: string,
  {
    body = "",
    headers = [`Authorization: Bearer ${apiKey}`],
  }: { body?: string; headers?: readonly string[] } = {},
): Promise<RawReply> {
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: localhost",
    "Connection: close",
    ...headers,
    ...length,
  ];
  const parts = [`${lines.join("\r\n")}\r\n\r\n${body}`];
  const [reply] = await sendRaw(port, parts, { head: method === "HEAD" });
  if (reply === undefined) throw new Error("no reply");
  return reply;
}

const code = ({ body }: RawReply): unknown => JSON.parse(body).code;
const rex = '{"name":"Rex","categoryId":1}';

describe("listing", () => {
  it("gives the newest first, 20 unless told otherwise", async () => {
    const store = await startTestStore({ seed: 30 });
    const ids = async (query: string): Promise<number[]> =>
      JSON.parse((await ask(store, "GET", `/v1/pets${query}`)).body).map(
        ({ id }: { id: number }) => id,
      );
    expect(await ids("")).toEqual(Array.from({ length: 20 }, (_, place) => 30 - place));
    expect(await ids("?limit=2")).toEqual([30, 29]);
    expect(await ids("?limit=100")).toHaveLength(30);
    expect(await ids("?status=sold&limit=2")).toEqual([27, 23]);
    expect(await ids("?limit=%32&page=7&page=8")).toEqual([30, 29]);
  });

  it("is an empty array at first, and tells at once of what was added", async () => {
    const store = await startTestStore();
    expect(await ask(store, "GET", "/v1/pets")).toMatchObject({ status: 200, body: "[]" });
    await ask(store, "POST", "/v1/pets", { body: rex });
    expect((await ask(store, "GET", "/v1/pets")).body).toBe(
      '[{"id":1,"name":"Rex","categoryId":1}]',
    );
    expect((await ask(store, "GET", "/v1/pets?status=sold")).body).toBe("[]");
  });

  it.each([
    ...[
      "0",
      "101",
      "007",
      "%2B5",
      "+5",
      "-1",
      "1e1",
      "1.0",
      "",
      "abc",
      "5%20",
      "9".repeat(400),
      "５",
    ].map((limit) => `limit=${encodeURI(decodeURI(limit))}`),
    "limit=5&limit=5",
    "limit=5&limit=6",
    "limit",
    "%6Cimit=0",
    "status=",
    "status=Sold",
    "status=lost",
    "status=sold&status=sold",
    "status=%FF",
    "limit=5&status=x",
  ])("refuses ?%s", async (query) => {
    const store = await startTestStore();
    const reply = await ask(store, "GET", `/v1/pets?${query}`);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toEqual({
      code: "bad_request",
      status: 400,
      message: expect.stringMatching(/^(?:limit|status) must be/),
    });
  });
});

describe("adding", () => {
  it("gives ascending ids from 1, and keeps int64 digit for digit", async () => {
    const store = await startTestStore();
    const add = (body: string) => ask(store, "POST", "/v1/pets", { body });
    const first = await add('{"id":99,"name":"Łatka","categoryId":-9223372036854775808,"age":3}');
    expect(first).toMatchObject({
      status: 201,
      body: '{"id":1,"name":"Łatka","categoryId":-9223372036854775808}',
    });
    expect(first.headers["content-type"]).toBe("application/json");
    const second = await add('{"name":"a\\u0000b","categoryId":1}');
    expect(second.status).toBe(400);
    const third = await add('{"name":"b","categoryId":9007199254740993,"status":"pending"}');
    expect(third.body).toBe('{"id":2,"name":"b","categoryId":9007199254740993,"status":"pending"}');
    expect((await ask(store, "GET", "/v1/pets/1")).body).toBe(first.body);
  });

  it.each([
    ["no content type", []],
    ["another content type", ["Content-Type: text/plain"]],
    ["a charset", ["Content-Type: application/json; charset=utf-8"]],
  ])("takes a body with %s", async (_what, more) => {
    const store = await startTestStore();
    const headers = [`Authorization: Bearer ${store.apiKey}`, ...more];
    expect((await ask(store, "POST", "/v1/pets", { body: rex, headers })).status).toBe(201);
  });

  it("keeps each of many that come at once, under an id of its own", async () => {
    const { baseUrl, apiKey } = await startTestStore();
    const headers = { authorization: `Bearer ${apiKey}` };
    const add = async (place: number) => {
      const body = place % 5 === 0 ? '{"name":""}' : `{"name":"n${place}","categoryId":${place}}`;
      const reply = await fetch(`${baseUrl}/pets`, { method: "POST", headers, body });
      return { status: reply.status, pet: (await reply.json()) as { id: number; name: string } };
    };
    const added = await Promise.all(Array.from({ length: 100 }, (_, place) => add(place)));
    expect(added.filter(({ status }) => status === 400)).toHaveLength(20);
    const pets = added.filter(({ status }) => status === 201).map(({ pet }) => pet);
    const list = await (await fetch(`${baseUrl}/pets?limit=100`, { headers })).json();
    expect(pets.sort((a, b) => b.id - a.id)).toEqual(list);
    expect(pets.at(-1)?.id).toBe(1);
  });
});

describe("fetching one", () => {
  const deprecation = {
    sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
    deprecation: "@1764892800",
    link: '</v1/pets>; rel="successor-version"',
  };

  it.each([
    ["/v1/pets/1", 200],
    ["/v1/pets/%31", 200],
    ["/v1/pets/2", 404],
    ["/v1/pets/-1", 404],
    ["/v1/pets/9223372036854775807", 404],
    ["/v1/pets/9223372036854775808", 404],
    ["/v1/pets/01", 404],
    ["/v1/pets/1.0", 404],
    ["/v1/pets/abc", 404],
    ["/v1/pets/%zz", 404],
  ])("%s is %d, and tells of its end", async (target, status) => {
    const store = await startTestStore({ seed: 1 });
    const reply = await ask(store, "GET", target);
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject(deprecation);
    expect(code(reply)).toBe(status === 404 ? "not_found" : undefined);
  });

  it.each([
    [-1, 200],
    [0, 410],
  ])("%d ms from 5 December 2030 it is %d", async (ms, status) => {
    const store = await startTestStore({ seed: 1, clock: () => Date.UTC(2030, 11, 5) + ms });
    const reply = await ask(store, "GET", "/v1/pets/1");
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject(deprecation);
    expect(code(reply)).toBe(status === 410 ? "gone" : undefined);
    expect((await ask(store, "GET", "/v1/pets")).status).toBe(200);
  });
});

describe("paths and methods", () => {
  it.each([
    ["GET", "/", 404],
    ["GET", "/pets", 404],
    ["GET", "/v2/pets", 404],
    ["GET", "/V1/pets", 404],
    ["GET", "//v1/pets", 404],
    ["GET", "/v1", 404],
    ["GET", "/v1/", 404],
    ["GET", "/v1/pets/", 404],
    ["GET", "/v1//pets", 404],
    ["GET", "/v1/pets/1/2", 404],
    ["GET", "/v1/orders", 404],
    ["DELETE", "/v1/pets/abc", 404],
    ["GET", "/v1\\pets", 404],
    ["OPTIONS", "*", 404],
    ["GET", "/v1/%70ets", 200],
    ["GET", "/v1/x/../pets", 200],
    ["GET", "http://other.example/v1/pets", 200],
  ])("%s %s is %d", async (method, target, status) => {
    const reply = await ask(await startTestStore(), method, target);
    expect(reply.status).toBe(status);
    expect(code(reply)).toBe(status === 404 ? "not_found" : undefined);
  });

  it.each([
    ["PUT", "/v1/pets", "GET, HEAD, POST"],
    ["DELETE", "/v1/pets", "GET, HEAD, POST"],
    ["OPTIONS", "/v1/pets", "GET, HEAD, POST"],
    ["PATCH", "/v1/pets", "GET, HEAD, POST"],
    ["TRACE", "/v1/pets", "GET, HEAD, POST"],
    ["QUERY", "/v1/pets", "GET, HEAD, POST"],
    ["POST", "/v1/pets/1", "GET, HEAD"],
    ["DELETE", "/v1/pets/1", "GET, HEAD"],
    ["POST", "/healthz", "GET, HEAD"],
    ["PUT", "/openapi.json", "GET, HEAD"],
  ])("%s %s is 405", async (method, target, allow) => {
    const reply = await ask(await startTestStore(), method, target);
    expect(reply).toMatchObject({ status: 405, headers: { allow } });
    expect(code(reply)).toBe("method_not_allowed");
  });

  it.each(["/v1/pets", "/v1/pets/1", "/v1/pets/9", "/healthz", "/openapi.json"])(
    "HEAD %s has the headers of GET",
    async (target) => {
      const store = await startTestStore({ seed: 1, clock: () => 1e12 });
      const [get, head] = [await ask(store, "GET", target), await ask(store, "HEAD", target)];
      expect(head).toMatchObject({ status: get.status, headers: get.headers, body: "" });
    },
  );

  it("needs no key at the root, and tells of no limit there", async () => {
    const store = await startTestStore({ plan: "1/min,1/day" });
    for (const target of ["/healthz", "/openapi.json", "/healthz"]) {
      const reply = await ask(store, "GET", target, { headers: [] });
      expect(reply.status).toBe(200);
      expect(reply.headers).not.toHaveProperty("x-ratelimit-limit");
    }
    expect((await ask(store, "GET", "/v1/pets")).status).toBe(200);
  });
});

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

  it("takes any case of the scheme", async () => {
    const store = await startTestStore();
    const headers = [`aUTHORIZATION: bEARER ${store.apiKey}`];
    expect((await ask(store, "GET", "/v1/pets", { headers })).status).toBe(200);
  });

  it("never refuses a stranger for asking too often", async () => {
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
  ])("is looked at before %s", async (_what, method, target) => {
    const store = await startTestStore();
    const body = target === "/v1/pets" ? "x".repeat(70_000) : "";
    expect((await ask(store, method, target, { headers: [], body })).status).toBe(401);
  });
});

describe("a store that fails", () => {
  const errors: readonly (readonly [string, object, number, string])[] = [
    ["a busy database", { errcode: 5 }, 503, "unavailable"],
    ["a full disk", { errcode: 13 }, 503, "unavailable"],
    ["an extended code of a full disk", { errcode: 13 + 256 }, 503, "unavailable"],
    ["an I/O error, after which all may be kept", { errcode: 10 }, 500, "internal"],
    ["anything else", {}, 500, "internal"],
  ];

  it.each(errors)("for %s, %j: %d", async (_what, facts, status, expected) => {
    const error = Object.assign(new Error("secret detail"), facts);
    const storage = { ...memoryStorage(), add: () => Promise.reject(error) };
    const store = await startTestStore({ storage, plan: "9/min,9/day" });
    const reply = await ask(store, "POST", "/v1/pets", { body: rex });
    expect(reply).toMatchObject({ status, headers: { "x-ratelimit-limit": "9" } });
    expect(reply.headers["retry-after"]).toBe(status === 503 ? "1" : undefined);
    expect(code(reply)).toBe(expected);
    expect(reply.body).not.toContain("secret");
    expect(store.faults).toEqual([error]);
  });
});

describe("limits", () => {
  it.each(["GET", "HEAD"])("are told to a key whose plan is not known: %s", async (method) => {
    const store = await startTestStore({ plan: "gold" });
    const headers = { authorization: `Bearer ${store.apiKey}` };
    const reply = await fetch(`${store.baseUrl}/pets`, { method, headers });
    expect(reply.status).toBe(500);
    expect(reply.headers.get("x-ratelimit-limit")).toBe("60");
    expect(String(store.faults[0])).toContain("is unknown: gold");
  });

  it("tells of them on every reply below /v1, and counts every request let through", async () => {
    let now = Date.UTC(2026, 10, 5, 12, 0, 30, 500);
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
          "x-ratelimit-reset": String(Date.UTC(2026, 10, 5, 12, 1) / 1000),
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
    expect(code(refused)).toBe("rate_limited");
    now += 251;
    const codes = [];
    for (let count = 0; count < 3; count++) codes.push(code(await ask(store, "GET", "/v1/pets")));
    expect(codes).toEqual(["rate_limited", "rate_limited", "key_banned"]);
    now += 1000;
    const banned = await ask(store, "POST", "/v1/pets", { body: rex });
    expect(banned).toMatchObject({ status: 429, headers: { "retry-after": "599" } });
    now += 599_000;
    expect((await ask(store, "GET", "/v1/pets")).status).toBe(200);
  });

  it("tells of windows of other lengths", async () => {
    const windows = { minute: 4000, day: 60_000 };
    const store = await startTestStore({ plan: "1/min,9/day", clock: () => 1e12 + 500, windows });
    const reset = { "x-ratelimit-reset": "1000000004" };
    expect(await ask(store, "GET", "/v1/pets")).toMatchObject({ status: 200, headers: reset });
    const refused = await ask(store, "GET", "/v1/pets");
    expect(refused).toMatchObject({ status: 429, headers: { ...reset, "retry-after": "4" } });
    const { headers } = await ask(store, "GET", "/v1/pets", { headers: [] });
    expect(headers).toMatchObject(reset);
  });

  it("says 2147483647 without limit", async () => {
    const { headers } = await ask(await startTestStore(), "GET", "/v1/pets");
    expect(headers).toMatchObject({
      "x-ratelimit-limit": "2147483647",
      "x-ratelimit-remaining": "2147483647",
    });
  });
});

describe("a Host that is not as it has to be", () => {
  const hosts: readonly (readonly [string, readonly string[]])[] = [
    ["none", []],
    ["two", ["Host: a", "host: a"]],
    ["no host", ["Host: a b/c"]],
    ["no port", ["Host: a:99999"]],
    ["two ports", ["Host: a:80:80"]],
    ["no address", ["Host: ::1"]],
    ["a port alone", ["Host: :80"]],
    ["a space, encoded", ["Host: a%20b"]],
  ];

  it.each(hosts)("is told behind the key: %s", async (_what, lines) => {
    const store = await startTestStore({ plan: "9/min,9/day" });
    const send = async (method: string, key: string): Promise<RawReply | undefined> => {
      const head = [`${method} /v1/pets HTTP/1.1`, `Authorization: Bearer ${key}`, ...lines];
      const parts = [`${head.join("\r\n")}\r\n\r\n`];
      return (await sendRaw(store.port, parts, { head: method === "HEAD" }))[0];
    };
    const limited = { "x-ratelimit-limit": "9", connection: "close" };
    expect(await send("GET", "nobody")).toMatchObject({ status: 401 });
    const reply = await send("GET", store.apiKey);
    expect(reply).toMatchObject({ status: 400, headers: limited });
    expect(reply?.body).toContain('"bad_request"');
    expect(await send("HEAD", store.apiKey)).toMatchObject({ status: 400, headers: limited });
    expect(store.faults).toEqual([]);
  });
});
