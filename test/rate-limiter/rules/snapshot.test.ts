import { describe, expect, it } from "vitest";
import { snapshotRecords } from "../../../src/rate-limiter/rules/snapshot.ts";
import type { LimiterState } from "../../../src/rate-limiter/rules/state.ts";
import { lost, ok, probe, refused, reserve, stamp, stateOf } from "../support/records.ts";

describe("snapshotRecords", () => {
  const now = 5000;
  const snapshotOf = (state: LimiterState) =>
    stateOf(
      snapshotRecords(state, stamp(now)).map(({ stamp: { uptime }, event }) => [uptime, event]),
      now,
    );

  it("recreates permits in order, limits, the back-off and uncounted requests", () => {
    const state = stateOf(
      [
        [1000, reserve("before")],
        [1000, reserve("x")],
        [1100, ok("x", 7)],
        [1200, reserve("y")],
        [1300, lost("y")],
        [1400, reserve("z")],
        [2000, refused("z", 1000)],
        [3500, probe("after")],
      ],
      now,
    );
    const copy = snapshotOf(state);
    expect([...copy.permits.values()]).toEqual([...state.permits.values()]);
    expect(copy.permits.get("after")).toMatchObject({ probe: true, afterBackoff: true });
    expect([copy.windows, copy.lastObserved]).toEqual([state.windows, state.lastObserved]);
    expect([copy.strikes, copy.uncounted]).toEqual([state.strikes, state.uncounted]);
    expect(copy.backoff?.status).toBe(429);
    expect(copy.backoff?.until).toBeLessThanOrEqual(now);
  });

  it("keeps the last 100 permits, and counts the earlier ones as sent", () => {
    const events = Array.from({ length: 130 }, (_, n) => [1000, reserve(`r${n}`)] as const);
    const copy = snapshotOf(stateOf(events, now));
    expect([copy.permits.size, copy.uncounted.count]).toEqual([100, 30]);
    expect([copy.permits.has("r29"), copy.permits.has("r30")]).toEqual([false, true]);
  });
});
