import { expect, it } from "vitest";
import { formatCount, plural } from "../../src/core/counts.ts";

it("formats counts with separators, and their noun", () => {
  expect(formatCount(12_345)).toBe("12,345");
  expect([0, 1, 2_000].map((count) => plural(count, "request"))).toEqual([
    "0 requests",
    "1 request",
    "2,000 requests",
  ]);
});
