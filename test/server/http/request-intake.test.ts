import { expect, it } from "vitest";
import { normalizeTarget } from "../../../src/server/http/request-intake.ts";

it.each([
  ["/v1/pets?limit=1", "/v1/pets?limit=1"],
  ["http://x:1/v1/pets?a", "/v1/pets?a"],
  ["HTTPS://x", "/"],
  ["http://x?a", "/?a"],
  ["//v1/pets", "//v1/pets"],
  ["*", "/*"],
  ["x:443", "/*"],
  ["/v1\\pets?a\\b", "/v1%5Cpets?a\\b"],
])("%s is %s", (target, plain) => {
  expect(normalizeTarget(target)).toBe(plain);
});
