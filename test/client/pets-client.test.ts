import { describe, expect, it } from "vitest";
import { type Answer, connect, failureOf, key, rex, rexPet, serve } from "./support/service.ts";

describe("requests", () => {
  it("list with the given parameters and no others", async () => {
    await using service = await serve([200, [rex]]);
    const { api } = connect(service.baseUrl);
    expect(await api.list({})).toEqual([rexPet]);
    await api.list({ limit: 5, status: "sold" });
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v1/pets",
      "GET /v1/pets?limit=5&status=sold",
    ]);
    expect(service.requests[0]?.headers).toMatchObject({
      host: service.baseUrl.host,
      authorization: `Bearer ${key}`,
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "pets/test",
    });
  });

  it("add with int64 digit for digit, the name unchanged, and no other field", async () => {
    const big = { ...rex, id: "ID", categoryId: "CATEGORY" };
    const body = JSON.stringify(big)
      .replace('"ID"', "-9223372036854775808")
      .replace('"CATEGORY"', "9223372036854775807");
    await using service = await serve([201, body]);
    const { api } = connect(service.baseUrl);
    const categoryId = 2n ** 63n - 1n;
    const copied = { id: 9n, name: " Réx\t\u0000🐶", categoryId, status: "sold" } as const;
    expect(await api.add(copied)).toEqual({ ...rexPet, id: -(2n ** 63n), categoryId });
    const [request] = service.requests;
    expect(request?.body).toBe(
      '{"name":" Réx\\t\\u0000🐶","categoryId":9223372036854775807,"status":"sold"}',
    );
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(request?.body ?? "")),
    });
  });

  it.each([
    ["/v1", "/v1/pets/-5"],
    ["/v1/", "/v1/pets/-5"],
    ["/v1//", "/v1/pets/-5"],
    ["/shop/api/v1", "/shop/api/v1/pets/-5"],
    ["/", "/pets/-5"],
    ["/a%20b/v1", "/a%20b/v1/pets/-5"],
  ])("join the base URL's path %j to %s", async (path, expected) => {
    await using service = await serve([200, rex]);
    await connect(new URL(path, service.baseUrl)).api.get(-5n);
    expect(service.requests.map(({ url }) => url)).toEqual([expected]);
  });

  it("mask a key that the service sends back", async () => {
    const error = { code: `bad ${key}`, message: `no such key: ${key}`, status: 401 };
    await using service = await serve(
      [200, [{ ...rex, name: `name ${key}`, status: key }], { Sunset: key, Link: key }],
      [200, { ...rex, name: `name ${key}` }],
      [401, error],
      [302, "", { Location: `http://u:p@h/${key}?k=${encodeURIComponent(key)}` }],
    );
    const { api, events } = connect(service.baseUrl);
    expect((await api.list({}))[0]).toMatchObject({ name: "name …last", status: "…last" });
    expect((await api.get(1n)).pet.name).toBe("name …last");
    const refused = await failureOf(api.list({}));
    expect(refused).toMatchObject({ kind: "auth", code: "bad …last" });
    expect(refused.message).toContain("no such key: …last");
    const redirected = await failureOf(api.list({}));
    expect(redirected.message).toContain("http://h/…last?k=…last");
    expect(JSON.stringify([events, refused.hints, redirected.hints])).not.toContain(key);
  });

  it("leave names unchanged if the key is short", async () => {
    await using service = await serve(
      [200, [{ ...rex, name: "abcde" }]],
      [404, { code: "abcde", message: "m", status: 404 }],
    );
    const { api } = connect(service.baseUrl, { apiKey: "abcd" });
    expect((await api.list({}))[0]?.name).toBe("abcde");
    expect(await failureOf(api.list({}))).toMatchObject({ code: "…e" });
  });
});

const error = (status: number) => ({ code: "not_found", message: "none", status });

const urls = (service: { requests: readonly { url: string }[] }): string[] =>
  service.requests.map(({ url }) => url);

describe("get", () => {
  const other = { id: 7, name: "Tom", categoryId: 3 };
  const lists = [
    "/v1/pets?limit=100",
    "/v1/pets?limit=100&status=available",
    "/v1/pets?limit=100&status=pending",
    "/v1/pets?limit=100&status=sold",
  ];

  it.each([{}, { date: "Wed, 04 Dec 2030 23:59:59 GMT" }])(
    "does not search if the service says that the animal does not exist, %j",
    async (headers) => {
      await using service = await serve([404, error(404), headers]);
      expect(await failureOf(connect(service.baseUrl).api.get(1n))).toMatchObject({
        kind: "not_found",
        code: "not_found",
        facts: { attempts: 1, retryable: false, status: 404 },
      });
      expect(urls(service)).toEqual(["/v1/pets/1"]);
    },
  );

  it.each<[string, Answer]>([
    ["410", [410, error(410)]],
    ["404 with a page", [404, "<html>"]],
    ["404 from that day on", [404, error(404), { date: "Thu, 05 Dec 2030 00:00:00 GMT" }]],
    ["404 after that day", [404, error(404), { date: "Fri, 06 Dec 2030 00:00:00 GMT" }]],
  ])("searches the lists after %s, until it finds the animal", async (_name, gone) => {
    await using service = await serve(gone, [200, [other]], [200, []], [200, [other, rex]]);
    expect(await connect(service.baseUrl).api.get(1n)).toEqual({ pet: rexPet, searched: true });
    expect(urls(service)).toEqual(["/v1/pets/1", ...lists.slice(0, 3)]);
  });

  it("says which animals it can search when it finds nothing", async () => {
    await using service = await serve([410], [200, [other]]);
    const failure = await failureOf(connect(service.baseUrl).api.get(1n));
    expect(failure).toMatchObject({ kind: "not_found", facts: { attempts: 5, searched: true } });
    expect(failure.message).toContain("only the newest 100 animals");
    expect(urls(service)).toEqual(["/v1/pets/1", ...lists]);
  });

  it("fails like the list, with all requests counted", async () => {
    await using service = await serve([410], [200, []], [401, { ...error(401), code: "bad_key" }]);
    expect(await failureOf(connect(service.baseUrl).api.get(1n))).toMatchObject({
      kind: "auth",
      code: "bad_key",
      facts: { attempts: 3, searched: true },
    });
  });

  it("fails without a search if there are no lists either", async () => {
    await using service = await serve([404, "<html>"]);
    const failure = await failureOf(connect(service.baseUrl).api.get(1n));
    expect(failure.facts).toMatchObject({ attempts: 2 });
    expect(failure.facts.searched).toBeUndefined();
  });
});
