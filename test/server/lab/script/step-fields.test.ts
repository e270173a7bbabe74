import { describe, expect, it } from "vitest";
import { parseMatcher } from "../../../../src/server/lab/script/step-fields.ts";

describe("parseMatcher", () => {
  it.each([
    ["*", "GET", "/v1/pets", true],
    ["*", "POST", "/v1/nothing", true],
    ["GET", "GET", "/v1/pets/1", true],
    ["GET", "HEAD", "/v1/pets", false],
    ["POST /pets", "POST", "/v1/pets", true],
    ["POST /pets", "GET", "/v1/pets", false],
    ["POST /pets", "POST", "/v1/pets/", false],
    ["GET /pets/*", "GET", "/v1/pets/7", true],
    ["GET /pets/*", "GET", "/v1/pets/", false],
    ["GET /pets/*", "GET", "/v1/pets", false],
    ["GET /pets/*", "GET", "/v1/pets/7/8", false],
    ["GET /pets/(.*)+", "GET", "/v1/pets/7", false],
  ])("%s for %s %s: %s", (on, method, path, expected) => {
    expect(parseMatcher(on, undefined)({ method, path, key: 0 })).toBe(expected);
  });

  it("picks the requests of one key", () => {
    const matches = parseMatcher("*", 2);
    const request = { method: "GET", path: "/v1/pets" };
    expect([0, 1, undefined].map((key) => matches({ ...request, key }))).toEqual([
      false,
      true,
      false,
    ]);
  });
});
