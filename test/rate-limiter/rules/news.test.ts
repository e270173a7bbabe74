import { describe, expect, it } from "vitest";
import { newsFor } from "../../../src/rate-limiter/rules/news.ts";
import { emptyState, type LimiterState } from "../../../src/rate-limiter/rules/state.ts";

const now = 1000;
const reset = 1e12;
const window = { limit: 10, remaining: 4, reset, endsAt: 6000 };

const state = (parts: Partial<LimiterState>): LimiterState => Object.assign(emptyState(), parts);
const waiting = (until: number) => state({ backoff: { until, status: 429 }, strikes: 2 });
const limits = (remaining: number) => ({
  kind: "limits",
  limits: { limit: 10, remaining, reset, endsIn: 5000 },
});
const block = (waitMs: number) => ({ kind: "block", status: 429, waitMs, strikes: 2 });

describe("newsFor", () => {
  it.each([
    ["nothing of nothing", emptyState(), emptyState(), []],
    ["a window", emptyState(), state({ windows: [window] }), [limits(4)]],
    ["no window that is over", emptyState(), state({ windows: [{ ...window, endsAt: now }] }), []],
    [
      "fewer requests that are left",
      state({ windows: [{ ...window, remaining: 5 }] }),
      state({ windows: [window] }),
      [limits(4)],
    ],
    [
      "no more requests that are left",
      state({ windows: [{ ...window, remaining: 3 }] }),
      state({ windows: [window] }),
      [],
    ],
    [
      "no earlier window",
      state({ windows: [{ ...window, reset: reset + 60_000 }] }),
      state({ windows: [window] }),
      [],
    ],
    ["a wait", emptyState(), waiting(4000), [block(3000)]],
    ["no wait that is over", emptyState(), waiting(now), []],
    ["a longer wait", waiting(4000), waiting(9000), [block(8000)]],
    ["no wait that differs by a round trip", waiting(4000), waiting(4900), []],
  ])("returns %s", (_what, target, source, expected) => {
    expect(newsFor(target, source, now)).toEqual(expected);
  });
});
