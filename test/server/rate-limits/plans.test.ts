import { describe, expect, it } from "vitest";
import { describePlan, parsePlan, planSyntax } from "../../../src/server/rate-limits/plans.ts";

const [second, minute, day] = [1_000, 60_000, 86_400_000];

const windowOf = (example: string) =>
  `limits per min, h, day or a duration from 1s to 1d, such as ${example}`;

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

  const names = "free, pro, business, enterprise or limits of your own, such as 100/min,5000/day";
  const count = "limits from 1 to 2147483646, such as 60/min, or enterprise for none";
  const order = "limits with the shorter window first, such as 20/2s,100/1h";
  it.each([
    ["", names],
    ["Free", names],
    [" free", names],
    ["5", names],
    ["5/min,", names],
    ["free,pro", names],
    ["0/min", count],
    ["0/min,5/day", count],
    ["5/min,0/day", count],
    ["-1/min,5/day", count],
    ["05/min,5/day", count],
    ["5/min, 5/day", count],
    ["1.5/min,5/day", count],
    ["2147483647/min,1/day", count],
    ["99999999999/min,1/day", count],
    ["5/min,6/h,7/day", "limits for two windows at most"],
    ["5/day,5/min", order],
    ["5/min,5/60s", order],
    ["60/m", windowOf("60/min")],
    ["60/minute", windowOf("60/min")],
    ["60/hour", windowOf("60/h")],
    ["60/min,9/d", windowOf("9/day")],
    ["5/MIN,5/DAY", windowOf("5/min")],
    ["5/2", windowOf("5/min")],
    ["5/999ms", windowOf("5/min")],
    ["5/25h", windowOf("5/min")],
    ["5/..s", windowOf("5/min")],
  ])("refuses %j", (text, allowed) => {
    expect(parsePlan(text)).toBeUndefined();
    expect(planSyntax.allowed(text)).toBe(allowed);
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
