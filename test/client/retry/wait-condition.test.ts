import { describe, expect, it } from "vitest";
import {
  describeWait,
  fitsBudget,
  maxWaitExceeded,
  mayResolveLocally,
} from "../../../src/client/retry/wait-condition.ts";
import type { WaitCondition } from "../../../src/rate-limiter/rules/decision.ts";

const blocked: WaitCondition = { reason: "blocked", status: 429, ms: 3000 };
const usedUp: WaitCondition = { reason: "used_up", limit: 60, ms: 3000 };
const probing: WaitCondition = { reason: "probing", ms: 45_000 };
const learning: WaitCondition = { reason: "learning", ms: 45_000 };

describe("a wait condition", () => {
  it.each<[WaitCondition, number, boolean, boolean]>([
    [blocked, 3000, true, false],
    [blocked, 2999, false, false],
    [usedUp, 3000, true, false],
    [usedUp, 2999, false, true],
    [probing, 1, true, true],
    [probing, 0, false, true],
    [learning, 1, true, true],
    [learning, 0, false, true],
  ])(
    "%j with %i ms of room: fits %s, may resolve locally %s",
    (condition, roomMs, fits, resolves) => {
      expect([fitsBudget(condition, roomMs), mayResolveLocally(condition, roomMs)]).toEqual([
        fits,
        resolves,
      ]);
    },
  );

  it.each<[WaitCondition, string]>([
    [blocked, "the service responded with 429 Too Many Requests to an earlier request"],
    [usedUp, "the limit of 60 requests is used up"],
    [{ ...usedUp, limit: 1 }, "the limit of 1 request is used up"],
    [probing, "a probe request checks whether the service accepts requests again"],
    [learning, "other requests are in flight, and the limits are not known yet"],
  ])("%j is described as %s", (condition, text) => {
    expect(describeWait(condition)).toBe(text);
  });

  it.each<[WaitCondition, number, object]>([
    [
      usedUp,
      0,
      { message: "the limit of 60 requests is used up; nothing was sent", retryAt: 4000 },
    ],
    [usedUp, 1, { message: "the limit of 60 requests is used up", retryAt: 4000 }],
    [learning, 0, { message: `${describeWait(learning)}; nothing was sent`, retryAt: undefined }],
  ])("%j that does not fit after %i sends", (condition, attempts, expected) => {
    const { kind, message, facts } = maxWaitExceeded(condition, 1000, attempts);
    expect({ message, retryAt: facts.retryAt }).toEqual(expected);
    expect({ kind, retryable: facts.retryable, attempts: facts.attempts }).toEqual({
      kind: "rate_limited",
      retryable: true,
      attempts,
    });
  });
});
