import { describe, expect, it } from "vitest";
import type { LimiterEvent } from "../../../src/rate-limiter/rules/records.ts";
import { emptyState } from "../../../src/rate-limiter/rules/state.ts";
import { statusOf } from "../../../src/rate-limiter/rules/status.ts";
import { ok, refused, reserve, stamp, startedAt, stateOf, type Timed } from "../support/records.ts";

/** Returns what is known at `now` from the events. */
function viewAt(now: number, events: readonly Timed[]) {
  const { now: at, ...view } = statusOf(stateOf(events, now), stamp(now));
  expect(at).toBe(startedAt + now);
  return view;
}

const told = (limits: Extract<LimiterEvent, { kind: "limits" }>["limits"]): LimiterEvent => ({
  kind: "limits",
  limits,
});

const day = { limit: 1000, remaining: 7, reset: 2e12, endsIn: 9e6 };
const seenAt = startedAt + 2000;

describe("what is known without a request", () => {
  it.each<[string, number, Timed[], object]>([
    ["nothing", 3000, [], {}],
    ["a limit alone", 3000, [[2000, told({ limit: 60 })]], { limit: 60, seenAt }],
    [
      "the limits seen last, and by when they are reset",
      5000,
      [[2000, ok("a", 8)]],
      { limit: 10, remaining: 8, resetAt: startedAt + 62_000, seenAt },
    ],
    [
      "the fewest that were left, when a late reply announced more",
      5000,
      [
        [1000, ok("a", 3)],
        [2000, ok("b", 8)],
      ],
      { limit: 10, remaining: 3, resetAt: startedAt + 61_000, seenAt },
    ],
    [
      "the window that was announced last, not the one of another limit",
      5000,
      [
        [1000, told(day)],
        [2000, ok("a", 8)],
      ],
      { limit: 10, remaining: 8, resetAt: startedAt + 62_000, seenAt },
    ],
    [
      "the reset as announced, when a refusal asks for less",
      4000,
      [
        [1000, ok("a", 1)],
        [1500, reserve("b")],
        [2000, refused("b", 3000, 0)],
      ],
      {
        limit: 10,
        remaining: 0,
        resetAt: startedAt + 62_000,
        seenAt,
        condition: { go: false, reason: "blocked", status: 429, ms: 1000 },
      },
    ],
    [
      "what was seen last, once the window has ended",
      99_000,
      [[2000, ok("a", 0)]],
      { limit: 10, remaining: 0, resetAt: startedAt + 62_000, seenAt },
    ],
    [
      "what was seen before, when a reply has no limits",
      5000,
      [
        [2000, ok("a", 8)],
        [3000, ok("b")],
      ],
      { limit: 10, remaining: 8, resetAt: startedAt + 62_000, seenAt },
    ],
  ])("is %s", (_what, now, events, view) => {
    expect(viewAt(now, events)).toEqual(view);
  });

  it.each<[string, number, Timed[], object]>([
    ["a wait", 5000, [[2000, refused("a", 9000)]], { reason: "blocked", status: 429, ms: 6000 }],
    ["a used-up limit", 5000, [[2000, ok("a", 0)]], { reason: "used_up", limit: 10, ms: 57_000 }],
    [
      "a window whose permits are all taken",
      5000,
      [
        [2000, ok("a", 1)],
        [3000, reserve("b")],
      ],
      { reason: "used_up", limit: 10, ms: 57_000 },
    ],
  ])("includes that %s holds requests back", (_what, now, events, condition) => {
    expect(viewAt(now, events).condition).toMatchObject(condition);
  });

  it("uses the current clock of the machine", () => {
    const state = { ...emptyState(), lastObserved: { limits: { limit: 10 }, at: 2000 } };
    const now = { ...stamp(3000), wall: startedAt + 63_000 };
    expect(statusOf(state, now)).toEqual({
      now: startedAt + 63_000,
      limit: 10,
      seenAt: startedAt + 62_000,
    });
  });
});
