import { describe, expect, it } from "vitest";
import { hasJsonErrors } from "../../../src/output/formats/index.ts";

describe("hasJsonErrors", () => {
  it.each([
    [{}, undefined, false],
    [{}, "json", true],
    [{ output: "csv" }, "json", false],
    [{ output: "ndjson" }, undefined, true],
    [{ json: true, output: "csv" }, undefined, true],
    [{ output: "toString" }, undefined, false],
  ])("of %j and %s is %s", (typed, env, expected) => {
    expect(hasJsonErrors(typed, env)).toBe(expected);
  });
});
