import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { StorageError } from "../../../src/server/storage/storage.ts";
import { codeOf } from "../../support/servers/faulty-store.ts";
import { sendRaw, type RawReply } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { ask, rex } from "../../support/servers/wire.ts";

describe("paths and methods", () => {
  it.each([
    ["GET", "/"],
    ["GET", "/pets"],
    ["GET", "/v2/pets"],
    ["GET", "/V1/pets"],
    ["GET", "//v1/pets"],
    ["GET", "/v1"],
    ["GET", "/v1/"],
    ["GET", "/v1/pets/"],
    ["GET", "/v1//pets"],
    ["GET", "/v1/pets/1/2"],
    ["GET", "/v1/orders"],
    ["DELETE", "/v1/pets/abc"],
    ["OPTIONS", "*"],
    ["GET", "/v1/../_store/state"],
    ["GET", "/v1/%2e%2e/_store/state"],
    ["GET", "/v1/.%2E/healthz"],
    ["GET", "/_store/../v1/pets"],
    ["GET", "/./healthz"],
    ["GET", "/v1/./pets"],
    ["GET", "/v1/pets/.."],
    ["GET", "http://localhost/v1/%2e%2e/_store/state"],
  ])("%s %s is 404", async (method, target) => {
    const reply = await ask(await startTestStore(), method, target);
    expect([reply.status, codeOf(reply)]).toEqual([404, "not_found"]);
  });

  it.each([
    ["/pets", true],
    ["/pets/1", true],
    ["//pets", true],
    ["//v1/pets?limit=1", true],
    ["/v1//pets", true],
    ["/v2/pets", false],
    ["/v1/orders", false],
    ["/orders", false],
  ])("%s is told that the API is below /v1: %s", async (target, isTold) => {
    const reply = await ask(await startTestStore(), "GET", target);
    expect(JSON.parse(reply.body).message.endsWith("the API is below /v1")).toBe(isTold);
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
  const maybeDone = /may have been carried out$/;
  const errors: readonly (readonly [string, unknown, number, RegExp])[] = [
    ["data that is away", new StorageError("secret", "unavailable", "x"), 503, /moment$/],
    ["an insert without an answer", new StorageError("secret", "unanswered", "x"), 503, maybeDone],
    ["a row that was refused", new StorageError("secret", "refused", "x"), 500, maybeDone],
    ["anything else", new Error("secret detail"), 500, maybeDone],
    ["something that is not an Error", "secret", 500, maybeDone],
  ];

  it.each(errors)("for %s", async (_what, error, status, message) => {
    const storage = { ...memoryStorage(), add: () => Promise.reject(error) };
    const store = await startTestStore({ storage, plan: "9/min,9/day" });
    const reply = await ask(store, "POST", "/v1/pets", { body: rex });
    expect(reply).toMatchObject({ status, headers: { "x-ratelimit-limit": "9" } });
    expect(reply.headers["retry-after"]).toBe(status === 503 ? "1" : undefined);
    expect(JSON.parse(reply.body)).toEqual({
      code: status === 503 ? "unavailable" : "internal",
      message: expect.stringMatching(message),
      status,
    });
    expect(reply.body).not.toContain("secret");
    expect(store.faults).toEqual([error]);
  });
});
