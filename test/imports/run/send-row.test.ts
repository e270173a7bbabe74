import { describe, expect, it } from "vitest";
import { classifyFailure } from "../../../src/imports/run/send-row.ts";
import { Failure, type FailureKind } from "../../../src/core/errors.ts";

describe("classifyFailure", () => {
  it.each<[FailureKind, number | undefined, boolean, string, boolean]>([
    ["usage", 400, true, "rejected", false],
    ["usage", 413, true, "rejected", false],
    ["usage", 422, true, "rejected", false],
    ["usage", undefined, false, "not_sent", true],
    ["not_found", 404, true, "rejected", false],
    ["outcome_unknown", 500, true, "unknown", false],
    ["outcome_unknown", undefined, true, "unknown", false],
    ["auth", 401, true, "not_sent", true],
    ["auth", 403, true, "not_sent", true],
    ["rate_limited", 429, true, "not_sent", true],
    ["rate_limited", undefined, false, "not_sent", true],
    ["unreachable", undefined, false, "not_sent", true],
    ["service", 307, true, "not_sent", true],
    ["service", 405, true, "not_sent", true],
    ["interrupted", undefined, true, "unknown", true],
    ["interrupted", undefined, false, "not_sent", true],
    ["terminated", undefined, true, "unknown", true],
    ["terminated", undefined, false, "not_sent", true],
    ["io", undefined, false, "not_sent", true],
    ["io", undefined, true, "unknown", true],
    ["internal", undefined, true, "internal_error", true],
    ["partial", undefined, false, "internal_error", true],
  ])(
    "%s with status %s, in doubt: %s, is %s, stops: %s",
    (kind, status, inDoubt, outcome, stops) => {
      const failure = new Failure(kind, "…", status === undefined ? {} : { status });
      expect(classifyFailure(failure, inDoubt)).toEqual({ outcome, stops });
    },
  );

  it("treats anything else as an internal error", () => {
    expect(classifyFailure(new TypeError("x"), true)).toEqual({
      outcome: "internal_error",
      stops: true,
    });
  });
});
