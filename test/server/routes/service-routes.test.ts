import { describe, expect, it } from "vitest";
import { codeOf } from "../../support/servers/faulty-store.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { ask, post, rex } from "../../support/servers/wire.ts";

const jsonType = "Content-Type: application/json";

describe("GET /v1/pets", () => {
  it("returns the newest first, 20 by default", async () => {
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

  it("returns an empty array at first, and new animals at once", async () => {
    const store = await startTestStore();
    expect(await ask(store, "GET", "/v1/pets")).toMatchObject({ status: 200, body: "[]" });
    await ask(store, "POST", "/v1/pets", { body: rex });
    expect((await ask(store, "GET", "/v1/pets")).body).toBe(
      '[{"id":1,"name":"Rex","categoryId":1}]',
    );
    expect((await ask(store, "GET", "/v1/pets?status=sold")).body).toBe("[]");
  });

  it.each([
    ..."0 101 007 %2B5 +5 -1 1e1 1.0 abc 5%20 ５"
      .split(" ")
      .map((limit) => `limit=${encodeURI(decodeURI(limit))}`),
    `limit=${"9".repeat(400)}`,
    "limit=",
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

describe("POST /v1/pets", () => {
  it("assigns ascending ids from 1, and keeps int64 digit for digit", async () => {
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
    ["no content type", "X: 1", rex, 415, "Content-Type"],
    ["another content type", "Content-Type: text/plain", rex, 415, "Content-Type"],
    ["a charset", "Content-Type: application/json; charset=utf-8", rex, 201, "Rex"],
    ["a JSON type", "Content-Type: application/vnd.pet+json", rex, 201, "Rex"],
    ["a coding", `${jsonType}\r\nContent-Encoding: gzip`, rex, 415, "Content-Encoding"],
    ["no coding", `${jsonType}\r\nContent-Encoding: identity`, rex, 201, "Rex"],
    ["no type, and empty", "X: 1", "", 400, "empty"],
    ["no type, and too long", "X: 1", " ".repeat(65_537), 413, "65536"],
  ])("decides on the headers of a body with %s", async (_what, more, body, status, said) => {
    const store = await startTestStore();
    const text = post(store, `Content-Length: ${body.length}`).replace(jsonType, more);
    const [reply] = await sendRaw(store.port, [text + body]);
    expect(reply).toMatchObject({ status, body: expect.stringContaining(said) });
  });
});

describe("GET /v1/pets/{petId}", () => {
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
  ])("returns for %s %d, and announces its removal", async (target, status) => {
    const store = await startTestStore({ seed: 1 });
    const reply = await ask(store, "GET", target);
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject(deprecation);
    expect(codeOf(reply)).toBe(status === 404 ? "not_found" : undefined);
  });

  it.each([
    [-1, 200],
    [0, 410],
  ])("returns %d ms from 5 December 2030 %d", async (ms, status) => {
    const store = await startTestStore({ seed: 1, clock: () => Date.UTC(2030, 11, 5) + ms });
    const reply = await ask(store, "GET", "/v1/pets/1");
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject(deprecation);
    expect(codeOf(reply)).toBe(status === 410 ? "gone" : undefined);
    expect((await ask(store, "GET", "/v1/pets")).status).toBe(200);
  });
});
