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
    ["GET /v1/pets", "GET", "/v1/pets", true],
    ["GET /v1/pets/*", "GET", "/v1/pets/7", true],
    ["GET /v1", "GET", "/v1", true],
    ["GET /v1x/pets", "GET", "/v1/pets", false],
  ])("%s for %s %s: %s", (on, method, path, expected) => {
    expect(parseMatcher(on)?.({ method, path, key: 0 })).toBe(expected);
  });
});
