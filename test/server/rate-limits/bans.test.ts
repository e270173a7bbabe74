import * as fc from "fast-check";
import { expect, it } from "vitest";
import { countBans } from "../../../src/server/rate-limits/bans.ts";

const bansOf = (ends: readonly number[], key = "a") =>
  ends.map((until) => ({ key, wait: { until, isBan: true } }));

it.each<[string, ReturnType<typeof bansOf>, number]>([
  ["none", [], 0],
  ["one, however many requests meet it", bansOf([6_000, 6_000]), 1],
  ["one, also by two clocks", bansOf([6_000, 6_500]), 1],
  ["another of the same key", bansOf([6_000, 6_501]), 2],
  ["one whose end is earlier, after a clock went back", bansOf([16_000, 6_000]), 2],
  ["no other wait", [{ key: "a", wait: { until: 6_000, isBan: false } }], 0],
  ["each key's", [...bansOf([6_000]), ...bansOf([6_000], "b")], 2],
])("counts %s", (_what, banned, bans) => {
  expect(countBans(banned)).toBe(bans);
});

it("counts the same in any order, and with any request twice", () => {
  const requests = fc.array(
    fc.record({
      key: fc.constantFrom("a", "b"),
      wait: fc.record({ until: fc.integer({ min: 0, max: 3_000 }), isBan: fc.boolean() }),
    }),
  );
  fc.assert(
    fc.property(requests, (banned) => {
      const others = [...banned, ...banned.toReversed()];
      expect(countBans(others)).toBe(countBans(banned));
    }),
  );
});
