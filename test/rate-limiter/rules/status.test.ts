import { describe, expect, it } from "vitest";
import type { LimiterEvent, ObservedLimits } from "../../../src/rate-limiter/rules/records.ts";
import { emptyState } from "../../../src/rate-limiter/rules/state.ts";
import { statusOf } from "../../../src/rate-limiter/rules/status.ts";
import {
  ok,
  refused,
  reserve,
  stamp,
  startedAt,
  stateOf,
  timed,
  type Timed,
} from "../support/records.ts";

/** Returns what is known at `now` from the events. */
function viewAt(now: number, events: readonly Timed[]) {
  const { now: at, ...view } = statusOf(stateOf(events, now), stamp(now));
  expect(at).toBe(startedAt + now);
  return view;
}

const told = (limits: ObservedLimits): LimiterEvent => ({ kind: "limits", ...limits });
const day = { limit: 1000, remaining: 7, reset: 2e12, endsIn: 9e6 };
const seenAt = startedAt + 2000;
const resetAt = startedAt + 62_000;
const eight = { limit: 10, remaining: 8, resetAt, seenAt };
const usedUp = { reason: "used_up", limit: 10, ms: 57_000 };

describe("what is known without a request", () => {
  it.each<[string, number, readonly Timed[], object]>([
    ["nothing", 3000, [], {}],
    ["a limit alone", 3000, timed([2000, told({ limit: 60 })]), { limit: 60, seenAt }],
    ["the limits seen last, and by when they are reset", 5000, timed([2000, ok("a", 8)]), eight],
    [
      "the fewest that were left, when a late reply announced more",
      5000,
      timed([1000, ok("a", 3)], [2000, ok("b", 8)]),
      { ...eight, remaining: 3, resetAt: startedAt + 61_000 },
    ],
    ["the window announced last", 5000, timed([1000, told(day)], [2000, ok("a", 8)]), eight],
    ["what was seen before", 5000, timed([2000, ok("a", 8)], [3000, ok("b")]), eight],
    ["what was seen last", 99_000, timed([2000, ok("a", 0)]), { ...eight, remaining: 0 }],
    [
      "the reset as announced, when a refusal asks for less",
      4000,
      timed([1000, ok("a", 1)], [1500, reserve("b")], [2000, refused("b", 3000, 0)]),
      {
        ...eight,
        remaining: 0,
        condition: { go: false, reason: "blocked", status: 429, ms: 1000 },
      },
    ],
  ])("is %s", (_what, now, events, view) => {
    expect(viewAt(now, events)).toEqual(view);
  });

  it.each<[string, readonly Timed[], object]>([
    ["a wait", timed([2000, refused("a", 9000)]), { reason: "blocked", status: 429, ms: 6000 }],
    ["a used-up limit", timed([2000, ok("a", 0)]), usedUp],
    ["a window whose permits are taken", timed([2000, ok("a", 1)], [3000, reserve("b")]), usedUp],
  ])("includes that %s delays requests", (_what, events, condition) => {
    expect(viewAt(5000, events).condition).toMatchObject(condition);
  });

  it("uses the current clock of the machine", () => {
    const state = { ...emptyState(), lastObserved: { limit: 10, at: 2000 } };
    const now = startedAt + 63_000;
    const status = { now, limit: 10, seenAt: startedAt + 62_000 };
    expect(statusOf(state, { ...stamp(3000), wall: now })).toEqual(status);
  });
});
