import { describe, expect, it } from "vitest";
import { newsFor, snapshotRecords } from "../../../src/rate-limiter/rules/snapshot.ts";
import { emptyState, type LimiterState } from "../../../src/rate-limiter/rules/state.ts";
import type { QuotaWindow } from "../../../src/rate-limiter/rules/windows.ts";
import {
  lost,
  ok,
  probe,
  refused,
  reserve,
  stamp,
  stateOf,
  timed,
  unavailable,
} from "../support/records.ts";

describe("snapshotRecords", () => {
  const now = 5000;
  const snapshotOf = (state: LimiterState) =>
    stateOf(
      snapshotRecords(state, stamp(now)).map(({ stamp: { uptime }, event }) => [uptime, event]),
      now,
    );

  it("recreates permits in order, limits, the back-off and uncounted requests", () => {
    const state = stateOf(
      timed(
        [1000, reserve("before")],
        [1000, reserve("x")],
        [1100, ok("x", 7)],
        [1200, reserve("y")],
        [1300, lost("y")],
        [1400, reserve("z")],
        [2000, refused("z", 1000)],
        [3500, probe("after")],
        [4000, { kind: "alive", id: "after" }],
      ),
      now,
    );
    const copy = snapshotOf(state);
    expect([...copy.permits.values()]).toEqual([...state.permits.values()]);
    expect(copy.permits.get("after")).toMatchObject({ probe: true, afterBackoff: true });
    expect([copy.windows, copy.lastObserved]).toEqual([state.windows, state.lastObserved]);
    const windows = [{ limit: 20, remaining: 3, reset: 1e12, endsAt: 9000, length: 4000 }];
    expect(snapshotOf(Object.assign(emptyState(), { windows })).windows).toEqual(windows);
    expect([copy.strikes, copy.uncounted]).toEqual([state.strikes, state.uncounted]);
    expect(copy.backoff?.status).toBe(429);
    expect(copy.backoff?.until).toBeLessThanOrEqual(now);
  });

  it.each([
    ["of a 429", [refused("a", 9000)]],
    ["of a 503", [unavailable("a", 9000)]],
    ["of a 429, then of a 503", [refused("a", 4000), unavailable("b", 9000)]],
    ["of a 503, then of a 429", [unavailable("b", 9000), refused("a", 4000)]],
  ])("keeps the waits %s", (_name, events) => {
    const known = stateOf(
      events.map((event) => [now, event]),
      now,
    );
    expect(snapshotOf(known).backoff).toEqual(known.backoff);
  });

  it("keeps the last 100 permits, and counts the earlier ones as sent", () => {
    const events = Array.from({ length: 130 }, (_, n) => [1000, reserve(`r${n}`)] as const);
    const copy = snapshotOf(stateOf(events, now));
    expect([copy.permits.size, copy.uncounted.count]).toEqual([100, 30]);
    expect([copy.permits.has("r29"), copy.permits.has("r30")]).toEqual([false, true]);
  });
});

const readAt = 1000;
const reset = 1e12;
const window = { limit: 10, remaining: 4, reset, endsAt: 6000 };

const state = (parts: Partial<LimiterState>): LimiterState => Object.assign(emptyState(), parts);
const waiting = (until: number) =>
  state({ backoff: { until, status: 429, bannedUntil: until, since: 0 }, strikes: 2 });
const mixed = (until: number, bannedUntil: number) => {
  return state({ backoff: { until, status: 503, bannedUntil, since: 0 }, strikes: 2 });
};
const limits = (remaining: number) => ({
  kind: "limits",
  limit: 10,
  remaining,
  reset,
  endsIn: 5000,
});
const block = (waitMs: number, status = 429) => ({ kind: "block", status, waitMs, strikes: 2 });

const known = (more: Partial<QuotaWindow>) => state({ windows: [{ ...window, ...more }] });

describe("newsFor", () => {
  it.each([
    ["nothing of nothing", emptyState(), emptyState(), []],
    ["a window", emptyState(), known({}), [limits(4)]],
    ["no window that has ended", emptyState(), known({ endsAt: readAt }), []],
    ["fewer requests that are left", known({ remaining: 5 }), known({}), [limits(4)]],
    ["no more requests that are left", known({ remaining: 3 }), known({}), []],
    ["no earlier window", known({ reset: reset + 60_000 }), known({}), []],
    ["a wait", emptyState(), waiting(4000), [block(3000)]],
    ["no wait that has ended", emptyState(), waiting(readAt), []],
    ["a longer wait", waiting(4000), waiting(9000), [block(8000)]],
    ["the wait of a 503", emptyState(), mixed(9000, 0), [block(8000, 503)]],
    ["the waits of both", emptyState(), mixed(9000, 4000), [block(3000), block(8000, 503)]],
    ["only the wait of a 429", mixed(9000, 0), mixed(9000, 4000), [block(3000)]],
    ["only the longer wait of a 503", waiting(4000), mixed(9000, 4000), [block(8000, 503)]],
    ["no wait of a 429 that has ended", mixed(9000, 0), mixed(9000, readAt), []],
    ["no wait that differs by a round trip", waiting(4000), waiting(4900), []],
  ])("returns %s", (_what, target, source, expected) => {
    expect(newsFor(target, source, readAt)).toEqual(expected);
  });
});
