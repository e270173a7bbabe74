import { describe, expect, it } from "vitest";
import type { AttemptOutcome } from "../../../src/client/http/outcome.ts";
import { type Headers, parseReplyHead } from "../../../src/client/http/reply-head.ts";
import { Attempt, toReplyInfo } from "../../../src/client/retry/attempt.ts";
import type { SendObserver } from "../../../src/client/types.ts";
import type { LocalLimiter } from "../../../src/rate-limiter/local-limiter.ts";

const now = Date.UTC(2026, 10, 21, 12);
const head = (status: number, headers: Headers = {}) => parseReplyHead(status, headers, now);

/** Returns an attempt with a limiter that records its calls; `valid` is whether the permit is valid, check by check. */
function setUp(valid: readonly boolean[] = [], observer?: SendObserver) {
  const calls: unknown[][] = [];
  const looks = [...valid];
  const controller = new AbortController();
  const limiter = {
    consecutiveRefusals: 0,
    revalidate: () => looks.shift() ?? true,
    complete: (...call: unknown[]) => calls.push(["complete", ...call]),
    cancel: (...call: unknown[]) => calls.push(["cancel", ...call]),
    markLost: (...call: unknown[]) => calls.push(["markLost", ...call]),
  };
  const attempt = new Attempt(
    {
      limiter: limiter as unknown as LocalLimiter,
      random: () => 0,
      signal: controller.signal,
    },
    { id: "a", strikes: 0, observer },
  );
  return { attempt, calls, controller, limiter };
}

describe("beforeSend", () => {
  it.each([true, false])("sends only with a permit that is still valid: %s", (valid) => {
    const { attempt } = setUp([valid]);
    expect([attempt.beforeSend(), attempt.isDeferred]).toEqual([valid, !valid]);
  });

  it("defers every request once the command is ending", () => {
    const { attempt, controller } = setUp();
    controller.abort();
    expect([attempt.beforeSend(), attempt.isDeferred]).toEqual([false, true]);
  });
});

describe("announce", () => {
  it("waits for the observer, and rejects with its error", async () => {
    const recorded = Promise.withResolvers<void>();
    const { attempt } = setUp([], { onSend: () => recorded.promise, onRefused() {} });
    const announced = attempt.announce();
    const error = new Error("the record cannot be written");
    recorded.reject(error);
    await expect(announced).rejects.toBe(error);
  });
});

describe("the permit", () => {
  it.each<[AttemptOutcome | undefined, string]>([
    [{ kind: "never_sent", reason: "", timedOut: false, final: false }, "cancel"],
    [{ kind: "tls", reason: "", certificate: true }, "cancel"],
    [{ kind: "aborted", sent: false }, "cancel"],
    [{ kind: "aborted", sent: true }, "markLost"],
    [{ kind: "timeout" }, "markLost"],
    [{ kind: "reset" }, "markLost"],
    [{ kind: "malformed" }, "markLost"],
    [undefined, "markLost"],
  ])("after %j: %s", async (outcome, expected) => {
    const { attempt, calls } = setUp();
    await attempt.announce();
    attempt.finishPermit(outcome);
    expect(calls).toEqual([[expected, "a"]]);
  });

  it("is cancelled if the send was not even announced", () => {
    const { attempt, calls } = setUp();
    attempt.finishPermit(undefined);
    expect(calls).toEqual([["cancel", "a"]]);
  });

  it("is completed once, by the head of the reply", () => {
    const { attempt, calls } = setUp();
    attempt.onHead(head(200, { "x-ratelimit-remaining": "3" }));
    attempt.finishPermit({ kind: "cut_off", head: undefined });
    expect(calls).toEqual([["complete", "a", { status: 200, limits: { remaining: 3 } }]]);
  });
});

describe("the requested delay", () => {
  it("is what the reply asked for", () => {
    const { attempt } = setUp();
    expect(attempt.requestedDelay).toBeUndefined();
    attempt.onHead(head(429, { "retry-after": "30" }));
    expect(attempt.requestedDelay).toEqual({ ms: 30_000, extraMs: 0, announcedMs: 30_000 });
  });

  it("grows with the refusals that all processes have got", () => {
    const { attempt, limiter } = setUp();
    limiter.consecutiveRefusals = 3;
    attempt.onHead(head(429));
    expect(attempt.requestedDelay).toMatchObject({ ms: 8000 });
  });
});

describe("toReplyInfo", () => {
  const headers = { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0" };

  it.each([
    [200, { status: 200, limits: { limit: 60, remaining: 0 } }],
    [401, { status: 401, limits: {} }],
  ])("ignores the limits of a reply to an invalid key: %i", (status, expected) => {
    expect(toReplyInfo(head(status, headers), undefined)).toEqual(expected);
  });

  it("has the delay that was announced, without the jitter", () => {
    const delay = { ms: 33_000, extraMs: 3000, announcedMs: 30_000 };
    expect(toReplyInfo(head(429), delay)).toEqual({ status: 429, limits: {}, waitMs: 30_000 });
  });
});
