import { describe, expect, it } from "vitest";
import { ApiError, badRequest } from "../../../src/server/api/errors.ts";
import { toApiError } from "../../../src/server/routes/router.ts";
import { DatabaseError } from "../../../src/server/storage/postgres/database.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { sendRaw, type RawReply } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { ask, code, rex } from "../../support/servers/wire.ts";

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

  it.each(["/v1/pets", "/v1/pets/1", "/v1/pets/9", "/healthz", "/openapi.json"])(
    "HEAD %s has the headers of GET",
    async (target) => {
      const store = await startTestStore({ seed: 1, clock: () => 1e12 });
      const [get, head] = [await ask(store, "GET", target), await ask(store, "HEAD", target)];
      expect(head).toMatchObject({ status: get.status, headers: get.headers, body: "" });
    },
  );

  it("need no key at the root, and have no limits there", async () => {
    const store = await startTestStore({ plan: "1/min,1/day" });
    for (const target of ["/healthz", "/openapi.json", "/healthz"]) {
      const reply = await ask(store, "GET", target, { headers: [] });
      expect(reply.status).toBe(200);
      expect(reply.headers).not.toHaveProperty("x-ratelimit-limit");
    }
    expect((await ask(store, "GET", "/v1/pets")).status).toBe(200);
  });
});

describe("a Host that is not valid", () => {
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

  it.each(hosts)("is refused after the key is checked: %s", async (_what, lines) => {
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

describe("toApiError", () => {
  const errors: readonly (readonly [string, unknown, number, RegExp, boolean])[] = [
    ["an ApiError", badRequest("no"), 400, /^no$/, false],
    ["a database that is away", new DatabaseError("x", "no", "unavailable"), 503, /moment$/, true],
    [
      "an insert without an answer",
      new DatabaseError("x", "no", "unanswered"),
      503,
      /may have been carried out$/,
      true,
    ],
    [
      "a row that the database refused",
      new DatabaseError("x", "no", "refused"),
      500,
      /may have been carried out$/,
      true,
    ],
    ["something that is not an Error", "oops", 500, /failed/, true],
  ];

  it.each(errors)("%s", (_what, error, status, message, isReported) => {
    const faults: unknown[] = [];
    const apiError = toApiError(error, (fault) => faults.push(fault));
    expect(apiError).toBeInstanceOf(ApiError);
    expect(apiError).toMatchObject({ status, message: expect.stringMatching(message) });
    expect(JSON.parse(apiError.body)).toEqual({
      code: apiError.code,
      message: apiError.message,
      status,
    });
    expect(faults).toEqual(isReported ? [error] : []);
  });
});
