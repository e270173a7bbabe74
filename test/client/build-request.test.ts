import { describe, expect, it } from "vitest";
import { addRequest, checkKey, getRequest, listRequest } from "../../src/client/build-request.ts";
import type { ListQuery } from "../../src/client/types.ts";
import { failureOf } from "../support/command/failure.ts";

const to = (baseUrl: string) => ({
  baseUrl: new URL(baseUrl),
  apiKey: "pk_1",
  userAgent: "pets/test",
});
const service = to("https://pets.example/v1");

it("sends the key, and asks for JSON that may be compressed", () => {
  expect(getRequest(service, 7n)).toEqual({
    method: "GET",
    path: "/v1/pets/7",
    headers: {
      authorization: "Bearer pk_1",
      accept: "application/json",
      "accept-encoding": "gzip",
      "user-agent": "pets/test",
    },
  });
});

it.each([
  ["https://pets.example/v1", "/v1/pets/-5"],
  ["https://pets.example/v1/", "/v1/pets/-5"],
  ["https://pets.example/v1//", "/v1/pets/-5"],
  ["https://pets.example/shop/api/v1", "/shop/api/v1/pets/-5"],
  ["https://pets.example", "/pets/-5"],
  ["https://pets.example/a%20b/v1", "/a%20b/v1/pets/-5"],
])("joins the base URL %s to %s", (baseUrl, path) => {
  expect(getRequest(to(baseUrl), -5n).path).toBe(path);
});

it.each([
  [{}, "/v1/pets"],
  [{ limit: 5 }, "/v1/pets?limit=5"],
  [{ limit: 0 }, "/v1/pets?limit=0"],
  [{ status: "sold" }, "/v1/pets?status=sold"],
  [{ limit: 100, status: "pending" }, "/v1/pets?limit=100&status=pending"],
] satisfies [ListQuery, string][])("lists %j at %s", (query, path) => {
  expect(listRequest(service, query)).toMatchObject({ method: "GET", path });
});

describe("addRequest", () => {
  it("sends int64 digit for digit, the name unchanged, and no status if there is none", () => {
    const request = addRequest(service, { name: " Réx\t\u0000🐶", categoryId: 2n ** 63n - 1n });
    expect(request).toMatchObject({ method: "POST", path: "/v1/pets" });
    expect(request.headers["content-type"]).toBe("application/json");
    expect(request.body).toBe('{"name":" Réx\\t\\u0000🐶","categoryId":9223372036854775807}');
  });

  it("sends no other field, such as an id that the animal had elsewhere", () => {
    const pet = { id: 9n, name: "Rex", categoryId: 1n, status: "sold" } as const;
    expect(addRequest(service, pet).body).toBe('{"name":"Rex","categoryId":1,"status":"sold"}');
  });
});

describe("checkKey", () => {
  it.each(["two words", "line\n", "", "schlüssel", "tab\t"])(
    "rejects %j without showing it",
    (apiKey) => {
      const { kind, message } = failureOf(() => checkKey(apiKey));
      expect([kind, message]).toEqual([
        "usage",
        "the API key contains white space or non-ASCII characters",
      ]);
    },
  );

  it("accepts every visible ASCII character", () => {
    const visible = Array.from({ length: 94 }, (_none, i) => String.fromCharCode(0x21 + i));
    expect(() => checkKey(visible.join(""))).not.toThrow();
  });
});
