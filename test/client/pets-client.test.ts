import { describe, expect, it } from "vitest";
import { connect, failureOf, key, rex, rexPet, serve } from "./support/service.ts";

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
      "accept-encoding": "gzip",
      "user-agent": "pets/test",
    });
  });

  it("add with int64 digit for digit and the name unchanged", async () => {
    const big = { ...rex, id: "ID", categoryId: "CATEGORY" };
    const body = JSON.stringify(big)
      .replace('"ID"', "-9223372036854775808")
      .replace('"CATEGORY"', "9223372036854775807");
    await using service = await serve([201, body]);
    const { api } = connect(service.baseUrl);
    const categoryId = 2n ** 63n - 1n;
    expect(await api.add({ name: " Réx\t\u0000🐶", categoryId })).toEqual({
      ...rexPet,
      id: -(2n ** 63n),
      categoryId,
    });
    const [request] = service.requests;
    expect(request?.body).toBe('{"name":" Réx\\t\\u0000🐶","categoryId":9223372036854775807}');
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(request?.body ?? "")),
    });
  });

  it("reject a key that can't be sent", () => {
    expect(() => connect(new URL("http://127.0.0.1/"), { apiKey: "two words" })).toThrow(
      /^the API key contains/,
    );
  });

  it("mask a key that the service sends back", async () => {
    const error = { code: `bad ${key}`, message: `no such key: ${key}`, status: 401 };
    await using service = await serve(
      [200, [{ ...rex, name: `name ${key}` }], { Sunset: key, Link: key }],
      [401, error],
      [302, "", { Location: `http://u:p@h/${key}?k=${encodeURIComponent(key)}` }],
    );
    const { api, events } = connect(service.baseUrl);
    expect((await api.list({}))[0]?.name).toBe("name …last");
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

it("masks the key in names, of one animal and of a list", async () => {
  const named = { ...rex, name: `Rex ${key}` };
  await using one = await serve([200, named]);
  await using many = await serve([200, [named]]);
  const { pet } = await connect(one.baseUrl).api.get(1n);
  expect([pet, ...(await connect(many.baseUrl).api.list({}))]).toMatchObject([
    { name: "Rex …last" },
    { name: "Rex …last" },
  ]);
});
