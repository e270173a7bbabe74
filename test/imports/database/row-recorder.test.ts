import { expect, it } from "vitest";
import type { RateLimits } from "../../../src/client/types.ts";
import { SyncRule } from "../../../src/imports/database/row-recorder.ts";

/** Returns whether a run of 100 rows syncs what it records when this many are left. */
function syncs(limits: RateLimits, left: number): boolean {
  return new SyncRule(() => limits, 100).mustSync(left);
}

it.each<[string, RateLimits, number, boolean]>([
  ["the first sends, while no limit is known", {}, 85, true],
  ["no later ones without limits", {}, 84, false],
  ["a run that fits into the window", { limit: 100, remaining: 84 }, 84, false],
  ["one that does not fit into a window", { limit: 99, remaining: 90 }, 10, true],
  ["one that does not fit into the rest of it", { limit: 1000, remaining: 83 }, 84, true],
])("syncs %s", (_what, limits, left, expected) => {
  expect(syncs(limits, left)).toBe(expected);
});

it("goes on once limits have set the pace, or after a refusal", () => {
  let limits: RateLimits = { limit: 10 };
  const rule = new SyncRule(() => limits, 100);
  expect(rule.mustSync(50)).toBe(true);
  limits = {};
  expect(rule.mustSync(49)).toBe(true);
  const refused = new SyncRule(() => ({}), 100);
  refused.onRefused();
  expect(refused.mustSync(50)).toBe(true);
});
