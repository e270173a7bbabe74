import { describe, expect, it } from "vitest";
import { admitBatch, type SharedUsage } from "../../../../src/server/storage/postgres/limits.ts";
import { emptyUsage } from "../../../../src/server/rate-limits/limits.ts";

const noon = Date.UTC(2026, 10, 5, 12);
const minute = 60_000;
const start: SharedUsage = { usage: emptyUsage, seenAt: 0 };

const plan = { name: "2/min,9/day", perMinute: 2, perDay: 9 };

/** What comes of requests at these moments, each with its own decision: requests left, or a code. */
function outcomes(arrivals: readonly number[]): readonly (number | string)[] {
  let shared = start;
  return arrivals.map((arrival) => {
    const [[decision], next] = admitBatch(plan, shared, [arrival], arrival);
    shared = next;
    return decision?.allowed ? decision.window.remaining : (decision?.code ?? "none");
  });
}

describe("admitAll", () => {
  it.each([
    [
      "begins no new count where another clock is behind",
      [0, -5, 1, -3],
      [1, 0, "rate_limited", "rate_limited"],
    ],
    ["goes by a clock that was set back", [0, 1, -minute], [1, 0, 1]],
  ])("%s", (_what, moments, expected) => {
    expect(outcomes(moments.map((moment) => noon + moment))).toEqual(expected);
  });

  it("counts a batch in its order", () => {
    const [decisions, after] = admitBatch(plan, start, [noon, noon + 0.75, noon + 1], noon + 1);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(after).toMatchObject({ seenAt: noon + 1, usage: { minute: { requests: 2 } } });
  });

  it("takes requests for early only when they came after the 429 was sent", () => {
    const waited = noon + 5_000;
    // All were there when the first was refused, 5 s after it came.
    const arrivals = [0, 1, 2, 400, 800, 1_200, 1_600].map((ms) => noon + ms);
    const [, after] = admitBatch(plan, start, arrivals, waited);
    expect(after.usage.refusal).toMatchObject({ at: waited, early: 0 });
    const [decisions] = admitBatch(
      plan,
      after,
      [1, 2, 3].map((n) => waited + n * 300),
      waited + 900,
    );
    expect(decisions.map((decision) => !decision.allowed && decision.code)).toEqual([
      "rate_limited",
      "rate_limited",
      "key_banned",
    ]);
  });
});
