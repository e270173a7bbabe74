import { describe, expect, it } from "vitest";
import { statusText } from "../../../src/client/http/outcome.ts";
import { failureKindOf, isRetryableStatus } from "../../../src/client/report/status.ts";
import type { FailureKind } from "../../../src/core/errors.ts";

describe("failureKindOf", () => {
  it.each<[number, FailureKind, FailureKind]>([
    [200, "service", "outcome_unknown"],
    [201, "service", "outcome_unknown"],
    [301, "service", "service"],
    [303, "service", "outcome_unknown"],
    [307, "service", "service"],
    [400, "usage", "usage"],
    [401, "auth", "auth"],
    [403, "auth", "auth"],
    [404, "not_found", "not_found"],
    [405, "service", "service"],
    [408, "unreachable", "outcome_unknown"],
    [409, "usage", "usage"],
    [410, "service", "service"],
    [422, "usage", "usage"],
    [429, "rate_limited", "rate_limited"],
    [500, "service", "outcome_unknown"],
    [501, "service", "service"],
    [503, "service", "outcome_unknown"],
    [505, "service", "service"],
    [511, "service", "service"],
    [599, "service", "outcome_unknown"],
  ])("%i: GET %s, POST %s", (status, get, post) => {
    expect([failureKindOf(status, "GET"), failureKindOf(status, "POST")]).toEqual([get, post]);
  });
});

describe("isRetryableStatus", () => {
  it.each([
    [200, true],
    [204, true],
    [301, false],
    [400, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [599, true],
  ])("%i: %s", (status, expected) => {
    expect(isRetryableStatus(status)).toBe(expected);
  });
});

describe("statusText", () => {
  it.each([
    [404, "404 Not Found"],
    [599, "599"],
  ])("%i is %s", (status, expected) => {
    expect(statusText(status)).toBe(expected);
  });
});
