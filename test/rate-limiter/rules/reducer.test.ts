import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide } from "../../../src/rate-limiter/rules/decision.ts";
import { applyRecord, expirePermits } from "../../../src/rate-limiter/rules/reducer.ts";
import { emptyState, type LimiterState } from "../../../src/rate-limiter/rules/state.ts";
import {
  anyEvent,
  timed,
  lost,
  ok,
  record,
  refused,
  reserve,
  stamp,
  stateOf,
  type Timed,
} from "../support/records.ts";

/** Events, each some time after the previous one. */
const history = fc
  .array(fc.tuple(fc.nat(4000), anyEvent), { maxLength: 40 })
  .map((steps): readonly Timed[] => {
    let now = 0;
    return steps.map(([later, what]): Timed => [(now += later), what]);
  });

function after(events: readonly Timed[], now: number): LimiterState {
  const state = stateOf(events, now);
  expirePermits(state, now);
  return state;
}

describe("a log", () => {
  it("leads to the same state, read step by step or all at once", () => {
    fc.assert(
      fc.property(history, fc.nat(9000), (events, later) => {
        const now = (events.at(-1)?.[0] ?? 0) + later;
        const watched = emptyState();
        for (const [at, what] of events) {
          applyRecord(watched, record([at, what]), stamp(at));
          expirePermits(watched, at);
        }
        expirePermits(watched, now);
        for (const despite503 of [false, true])
          expect(decide(after(events, now), now, { despite503 })).toEqual(
            decide(watched, now, { despite503 }),
          );
        expect(after(events, now).uncounted).toEqual(watched.uncounted);
      }),
      { numRuns: 1000 },
    );
  });
});

it("ignores records from the future", () => {
  const ahead = stateOf([[3501, { kind: "reserve", id: "a", pid: 1, lifeMs: 10 }]], 1000);
  expect(ahead.permits.size).toBe(0);
});

it("limits the lifetime of a permit", () => {
  const state = stateOf([[0, { kind: "reserve", id: "a", pid: 1, lifeMs: 9e15 }]], 0);
  expect(state.permits.get("a")?.expiresAt).toBe(86_400_000);
});

it.each([
  [2000, 1],
  [2001, 0],
])("counts a lost request until one sent %i ms later succeeds: %i", (later, count) => {
  const { uncounted } = stateOf(
    timed([1000, reserve("a")], [1000, lost("a")], [1000 + later, reserve("b")], [9000, ok("b")]),
  );
  expect(uncounted.count).toBe(count);
});

it.each([
  [1000, 503],
  [1001, 503],
  [999, 429],
])(
  "a back-off is that of the refusal that lasts longest, or of the last: %i ms",
  (waitMs, status) => {
    const { backoff } = stateOf(
      timed([1000, refused("a", 2000)], [2000, { ...refused("b", waitMs), status: 503 }]),
    );
    const until = Math.max(3000, 2000 + waitMs);
    expect(backoff).toEqual({ status, until, bannedUntil: 3000, since: 2000 });
  },
);
