import { describe, expect, it } from "vitest";
import { describePlan, parsePlan, planProblem } from "../../../src/server/rate-limits/plans.ts";

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

  const unknown = /^unknown plan ".*"; use free, pro, business, enterprise or one of your own,/;
  const window = /^the window in ".*" must be min, h, day or a duration from 1s to 1d$/;
  const order = /^the shorter window comes first/;
  it.each([
    ["", unknown],
    ["Free", unknown],
    [" free", unknown],
    ["5", unknown],
    ["0/min,5/day", unknown],
    ["5/min,0/day", unknown],
    ["-1/min,5/day", unknown],
    ["05/min,5/day", unknown],
    ["5/min, 5/day", unknown],
    ["1.5/min,5/day", unknown],
    ["2147483647/min,1/day", unknown],
    ["99999999999/min,1/day", unknown],
    ["5/min,", unknown],
    ["5/min,6/h,7/day", /^a plan has two windows at most$/],
    ["5/day,5/min", order],
    ["5/min,5/60s", order],
    ["5/MIN,5/DAY", window],
    ["5/2", window],
    ["5/999ms", window],
    ["5/25h", window],
    ["5/..s", window],
  ])("refuses %j", (text, problem) => {
    expect(parsePlan(text)).toBeUndefined();
    expect(planProblem(text)).toMatch(problem);
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
