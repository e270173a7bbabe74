import { describe, expect, it } from "vitest";
import { describePlan, parsePlan } from "../../../src/server/rate-limits/plans.ts";

describe("parsePlan", () => {
  it.each([
    ["free", 60, 1000],
    ["pro", 300, 10_000],
    ["business", 1000, 100_000],
    ["enterprise", Infinity, Infinity],
    ["100/min,5000/day", 100, 5000],
    ["2147483646/min,1/day", 2_147_483_646, 1],
  ])("%s", (name, perMinute, perDay) => {
    expect(parsePlan(name)).toEqual({ name, perMinute, perDay });
  });

  it.each([
    "",
    "Free",
    "gold",
    "5",
    "5/min",
    "5/day",
    "0/min,5/day",
    "5/min,0/day",
    "-1/min,5/day",
    "05/min,5/day",
    "5/min, 5/day",
    "5/min,5/day,5/day",
    "1.5/min,5/day",
    "2147483647/min,1/day",
    "99999999999/min,1/day",
    "5/MIN,5/DAY",
    " free",
  ])("refuses %j", (text) => {
    expect(parsePlan(text)).toBeUndefined();
  });
});

it.each([
  ["free", "60 requests a minute, 1,000 a day"],
  ["1/min,2/day", "1 request a minute, 2 a day"],
  ["enterprise", "no limit"],
])("describes %s", (name, text) => {
  const plan = parsePlan(name);
  expect(plan && describePlan(plan)).toBe(text);
});
