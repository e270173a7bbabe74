import { expect, it } from "vitest";
import { requestCounter } from "../../../src/server/request-log/request-counter.ts";

const minute = 60_000;

it("counts by status, and those without a reply", () => {
  const { countResponse, countEarly, counts } = requestCounter();
  for (const status of [200, 429, 200, 0]) countResponse(status);
  countEarly();
  expect(counts()).toEqual({ requests: { 0: 1, 200: 2, 429: 1 }, early: 1, bans: 0 });
});

it.each<[string, readonly (readonly [string, number])[], number]>([
  [
    "a ban once, however many requests meet it",
    [
      ["a", 10 * minute],
      ["a", 10 * minute],
    ],
    1,
  ],
  [
    "a ban once, also by two clocks",
    [
      ["a", 10 * minute],
      ["a", 11 * minute],
    ],
    1,
  ],
  [
    "another ban of the same key",
    [
      ["a", 10 * minute],
      ["a", 11 * minute + 1],
    ],
    2,
  ],
  [
    "a ban whose end is earlier, after a clock went back",
    [
      ["a", 10 * minute],
      ["a", 5 * minute],
    ],
    2,
  ],
  [
    "each key's",
    [
      ["a", 10 * minute],
      ["b", 10 * minute],
    ],
    2,
  ],
])("counts %s", (_what, met, bans) => {
  const { countBan, counts } = requestCounter();
  for (const [key, until] of met) countBan(key, until);
  expect(counts().bans).toBe(bans);
});

it("starts again after a reset, even with a ban that continues", () => {
  const { countResponse, countEarly, countBan, counts, clear } = requestCounter();
  countResponse(200);
  countEarly();
  countBan("a", 10 * minute);
  clear();
  expect(counts()).toEqual({ requests: {}, early: 0, bans: 0 });
  countBan("a", 10 * minute);
  expect(counts().bans).toBe(1);
});
