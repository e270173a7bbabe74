import { describe, expect, it } from "vitest";
import { describePlan, parsePlan } from "../../../src/server/rate-limits/plans.ts";

const [second, minute, day] = [1_000, 60_000, 86_400_000];

describe("parsePlan", () => {
  it.each([
    ["free", 60, minute, 1000, day],
    ["pro", 300, minute, 10_000, day],
    ["business", 1000, minute, 100_000, day],
    ["enterprise", Infinity, minute, Infinity, day],
    ["100/min,5000/day", 100, minute, 5000, day],
    ["2147483646/min,1/day", 2_147_483_646, minute, 1, day],
    ["20/2s", 20, 2 * second],
    ["20/2s,100/1h", 20, 2 * second, 100, 60 * minute],
    ["5/min", 5, minute],
    ["5/day", 5, day],
    ["5/h,6/1d", 5, 60 * minute, 6, day],
    ["1/1.5s,9/90s", 1, 1.5 * second, 9, 90 * second],
  ])("%s", (name, limit, windowMs, perLonger?: number, longerMs?: number) => {
    const short = { limit, windowMs };
    const quotas = perLonger ? [short, { limit: perLonger, windowMs: longerMs }] : [short];
    expect(parsePlan(name)).toEqual({ name, quotas });
  });

  it.each([
    "",
    "Free",
    "gold",
    "5",
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
    "5/day,5/min",
    "5/min,5/60s",
    "5/min,",
    "5/2",
    "5/999ms",
    "5/25h",
    "5/2d",
    "5/second",
    "5/..s",
  ])("refuses %j", (text) => {
    expect(parsePlan(text)).toBeUndefined();
  });
});

it.each([
  ["free", "60 requests per minute, 1,000 per day"],
  ["1/min,2/day", "1 request per minute, 2 per day"],
  ["20/2s,100/h", "20 requests per 2 s, 100 per hour"],
  ["20/90s", "20 requests per 90 s"],
  ["enterprise", "unlimited"],
])("describes %s", (name, text) => {
  const plan = parsePlan(name);
  expect(plan && describePlan(plan)).toBe(text);
});
