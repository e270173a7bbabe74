import { expect, it } from "vitest";
import { endedExchange, sentOf } from "../../support/servers/exchange.ts";
import { requestCounter } from "../../../src/server/request-log/request-counter.ts";

const minute = 60_000;
const plain = endedExchange({ isEarly: false });
const bannedUntil = (until: number, keyId = "a") => ({
  ...plain,
  keyId,
  refusal: { until, isBan: true },
});

it("counts by status, and those without a reply", () => {
  const { count, counts } = requestCounter();
  for (const status of [200, 429, 200]) count({ ...plain, sent: sentOf(status) });
  count({ ...plain, isEarly: true });
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
  const { count, counts } = requestCounter();
  for (const [key, until] of met) count(bannedUntil(until, key));
  expect(counts().bans).toBe(bans);
});

it("starts again after a reset, even with a ban that continues", () => {
  const { count, counts, clear } = requestCounter();
  count({ ...bannedUntil(10 * minute), isEarly: true });
  clear();
  expect(counts()).toEqual({ requests: {}, early: 0, bans: 0 });
  count(bannedUntil(10 * minute));
  expect(counts().bans).toBe(1);
});
