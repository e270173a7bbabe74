import { describe, expect, it } from "vitest";
import type { LimiterEvent, ReplyInfo } from "../../../src/rate-limiter/rules/records.ts";
import {
  canReusePermit,
  isEffectivelyUnlimited,
  isUninformative,
} from "../../../src/rate-limiter/rules/unlimited.ts";
import { ok, refused, release, reserve, stateOf } from "../support/records.ts";

const reply = (remaining: number | undefined, waitMs?: number): ReplyInfo => ({
  status: 200,
  limits: remaining === undefined ? {} : { limit: 1e9, remaining },
  ...(waitMs !== undefined && { waitMs }),
});

describe("isEffectivelyUnlimited", () => {
  it.each([
    [100_000, 1000, true],
    [99_999, 1000, false],
    [100_000, 61_000, false],
  ])("with %i left, at %i ms: %s", (remaining, now, expected) => {
    const state = stateOf([
      [0, reserve("a")],
      [0, { ...ok("a"), limits: { limit: 1e9, remaining, reset: 1e12, endsIn: 60_000 } }],
    ]);
    expect(isEffectivelyUnlimited(state, now)).toBe(expected);
  });

  it.each<[string, number, boolean]>([
    ["within a back-off", 600, false],
    ["after it, before the probe", 2000, false],
  ])("is false %s", (_name, now, expected) => {
    const limits = { limit: 1e9, remaining: 1e8, reset: 1e12, endsIn: 60_000 };
    const state = stateOf([
      [0, { ...ok("a"), limits }],
      [100, refused("x", 1000)],
    ]);
    expect(isEffectivelyUnlimited(state, now)).toBe(expected);
  });

  it("is false while the limits are unknown", () => {
    expect(isEffectivelyUnlimited(stateOf([]), 0)).toBe(false);
  });
});

describe("isUninformative", () => {
  it.each<[ReplyInfo, boolean]>([
    [reply(100_000), true],
    [reply(99_999), false],
    [reply(undefined), false],
    [reply(100_000, 1000), false],
  ])("%j: %s", (info, expected) => {
    expect(isUninformative(info)).toBe(expected);
  });
});

describe("canReusePermit", () => {
  const much: LimiterEvent = { kind: "reply", id: "a", ...reply(1e6) };

  it.each<[string, LimiterEvent, number, boolean]>([
    ["a reply without news", much, 1999, true],
    ["a permit of a second ago", much, 2000, false],
    ["a reply with a lower number", { ...much, ...reply(20) }, 1999, false],
    ["a refusal", refused("a", 1000), 1999, false],
    ["a request that was not sent", release("a"), 1999, false],
    ["a permit that has expired", { ...much, id: "b" }, 1999, false],
  ])("%s", (_name, event, now, expected) => {
    expect(canReusePermit(event, stateOf([[1000, reserve("a")]]), now)).toBe(expected);
  });
});
