import { describe, expect, it } from "vitest";
import type { AttemptOutcome } from "../../../src/client/http/outcome.ts";
import { type Headers, parseReplyHead } from "../../../src/client/http/reply-head.ts";
import {
  requestedDelay,
  decideRetry,
  type RetryCase,
  type RetryCause,
} from "../../../src/client/retry/policy.ts";

const now = Date.UTC(2026, 10, 21, 12);
const reply = (status: number, headers: Headers = {}): AttemptOutcome => ({
  kind: "reply",
  reply: { ...parseReplyHead(status, headers, now), body: "" },
});
const neverSent = { kind: "never_sent", reason: "", problem: "unreachable" } as const;

const ratelimit = (remaining: string, reset: string): Headers => ({
  "x-ratelimit-remaining": remaining,
  "x-ratelimit-reset": reset,
});

function decisionFor(outcome: AttemptOutcome, more: Partial<RetryCase> = {}) {
  const facts = {
    method: "GET",
    history: [],
    refusals: 0,
    roomMs: 1e9,
    isLocal: false,
  } as const;
  const { random = () => 0, history = [] } = more;
  const strikes = history.filter((cause) => /limited|unavailable/.test(cause)).length;
  const requested =
    outcome.kind === "reply" ? requestedDelay(outcome.reply, { strikes, random }) : undefined;
  return decideRetry({ ...facts, outcome, requested, backoffMs: 0, now, random, ...more });
}

/** Returns how often a request that always has this `outcome` is retried. */
function retriesOf(outcome: AttemptOutcome, method: "GET" | "POST"): number {
  const history: RetryCause[] = [];
  for (;;) {
    const next = decisionFor(outcome, { method, history });
    if (!next.retry) return history.length;
    history.push(next.cause);
  }
}

describe("how often", () => {
  it.each<[string, AttemptOutcome, number, number]>([
    ["429", reply(429), 2, 2],
    ["429 with Retry-After", reply(429, { "retry-after": "1" }), 2, 2],
    ["never sent", neverSent, 3, 3],
    ["connect time-out", { ...neverSent, problem: "timedOut" }, 3, 3],
    ["a proxy that refuses", { ...neverSent, kind: "never_sent", final: true }, 0, 0],
    ["500", reply(500), 3, 0],
    ["502", reply(502), 3, 0],
    ["503", reply(503), 3, 0],
    ["503 with Retry-After", reply(503, { "retry-after": "1" }), 3, 0],
    ["504", reply(504), 3, 0],
    ["408", reply(408), 3, 0],
    ["reset", { kind: "reset" }, 3, 0],
    ["cut off", { kind: "cut_off", head: undefined }, 3, 0],
    ["malformed HTTP", { kind: "malformed" }, 3, 0],
    ["no answer in time", { kind: "timeout" }, 1, 0],
    ["a certificate", { ...neverSent, problem: "expired", final: true }, 0, 0],
    ["over 8 MiB", { kind: "too_large", head: undefined }, 0, 0],
    ["an unreadable body", { kind: "unreadable", head: undefined }, 0, 0],
    ["aborted", { kind: "aborted", sent: false }, 0, 0],
  ])("%s: GET %i, POST %i", (_name, outcome, get, post) => {
    expect(retriesOf(outcome, "GET")).toBe(get);
    expect(retriesOf(outcome, "POST")).toBe(post);
  });

  it("is never after any other status", () => {
    const statuses = Array.from({ length: 400 }, (_none, at) => 200 + at);
    const ofProxies = [520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530];
    const retried = (method: "GET" | "POST") =>
      statuses.filter((status) => retriesOf(reply(status), method) > 0);
    expect(retried("GET")).toEqual([408, 429, 500, 502, 503, 504, ...ofProxies]);
    expect(retried("POST")).toEqual([429]);
  });

  it.each<[RetryCause[], boolean]>([
    [["never_sent", "never_sent", "never_sent"], true],
    [["never_sent", "never_sent", "never_sent", "rate_limited"], false],
    [["rate_limited", "transient", "timeout", "never_sent"], false],
    [["transient", "unavailable", "transient"], true],
  ])("5 sends at most: after %j a 429 is retried: %s", (history, expected) => {
    expect(decisionFor(reply(429), { history }).retry).toBe(expected);
  });
});

describe("how long", () => {
  const unix = now / 1000;
  const full = ratelimit("0", `${unix + 40}`);

  it.each<[string, Headers, RetryCause[], number, number]>([
    ["Retry-After", { "retry-after": "30" }, [], 30_000, 33_000],
    ["Retry-After 0: a second and the backoff", { "retry-after": "0" }, [], 1000, 2200],
    ["a long one: 5 s on top", { "retry-after": "3600" }, [], 3_600_000, 3_605_000],
    ["an absurd one: 24 h", { "retry-after": "9999999" }, [], 86_400_000, 86_405_000],
    ["garbage: as if missing", { "retry-after": "soon" }, [], 1000, 2000],
    ["nothing", {}, [], 1000, 2000],
    ["nothing, a second time", {}, ["rate_limited"], 2000, 4000],
    ["Retry-After 1, a second time", { "retry-after": "1" }, ["rate_limited"], 2000, 4400],
    ["nothing, after other trouble", {}, ["transient", "never_sent"], 1000, 2000],
    ["a reset", full, [], 41_000, 41_000],
    ["a reset with requests left", ratelimit("3", `${unix + 40}`), [], 1000, 2000],
    ["a reset that is past", ratelimit("0", `${unix - 40}`), [], 1000, 2000],
    ["Retry-After before a reset", { "retry-after": "5", ...full }, [], 5000, 5500],
  ])("429 with %s", (_name, headers, history, least, most) => {
    for (const [random, ms] of [least, most].entries()) {
      const next = decisionFor(reply(429, headers), { history, random: () => random });
      expect(next).toEqual({ retry: true, cause: "rate_limited", delayMs: ms });
    }
  });

  it.each<[number, number, number]>([
    [0, 250, 500],
    [1, 500, 1000],
    [2, 1000, 2000],
  ])("other trouble after %i times before; a fifth on this machine", (times, least, most) => {
    const history: RetryCause[] = Array.from({ length: times }, () => "never_sent");
    const refused = { ...neverSent, problem: "refused" } as const;
    const waitFor = (outcome: AttemptOutcome, random: number, isLocal = false) => {
      const decision = decisionFor(outcome, { history, isLocal, random: () => random });
      return decision.retry && decision.delayMs;
    };
    for (const [random, ms] of [least, most].entries()) {
      expect(waitFor(neverSent, random)).toBe(ms);
      expect(waitFor(refused, random)).toBe(ms);
      expect(waitFor(refused, random, true)).toBe(ms / 5);
    }
  });

  it("503 with Retry-After waits like a 429", () => {
    const next = decisionFor(reply(503, { "retry-after": "30" }));
    expect(next).toMatchObject({ cause: "unavailable", delayMs: 30_000 });
  });
});

const refused = (ms: number) => ({ retry: false, limited: true, retryAt: now + ms });
const ended = { retry: false, limited: false };

describe("--max-wait", () => {
  const limited = reply(429, { "retry-after": "30" });

  it.each<[string, AttemptOutcome, number, object, waitedMs?: number]>([
    ["fits", limited, 60_000, { delayMs: 33_000 }],
    ["fits, without all of the jitter", limited, 31_000, { delayMs: 31_000 }],
    ["fits exactly", limited, 30_000, { delayMs: 30_000 }],
    ["does not fit", limited, 29_999, refused(30_000)],
    ["does not fit what is left", limited, 60_000, refused(30_000), 30_001],
    ["0", limited, 0, refused(30_000)],
    ["is Infinity", limited, Infinity, { delayMs: 33_000 }, 1e9],
    ["0, Retry-After 0", reply(429, { "retry-after": "0" }), 0, refused(1000)],
    ["0, on a 503", reply(503, { "retry-after": "7" }), 0, refused(7000)],
    ["0, on a plain 503", reply(503), 0, ended],
    ["0, on a connection", neverSent, 0, ended],
    ["too short for a backoff", neverSent, 499, ended],
  ])("%s", (_name, outcome, maxWaitMs, expected, waitedMs = 0) => {
    expect(decisionFor(outcome, { roomMs: maxWaitMs - waitedMs, random: () => 1 })).toMatchObject(
      expected,
    );
  });

  it.each<[AttemptOutcome, RetryCause[], backoffMs: number, retryAt: number, limited: boolean]>([
    [limited, ["rate_limited", "rate_limited"], 0, now + 30_000, true],
    [limited, ["rate_limited", "rate_limited"], 60_000, now + 60_000, true],
    [reply(503, { "retry-after": "9" }), Array(3).fill("transient"), 0, now + 9000, false],
  ])(
    "is not what ends the retries once none are left, case %#",
    (outcome, history, backoffMs, retryAt, limits) => {
      const expected = { retry: false, limited: limits, exhausted: true, retryAt };
      expect(decisionFor(outcome, { history, backoffMs })).toEqual(expected);
    },
  );
});

describe("a back-off of another request", () => {
  const limited = reply(429, { "retry-after": "3" });

  it.each([
    [2000, 10_000, { retry: true, delayMs: 3300 }],
    [8000, 10_000, { retry: true, delayMs: 8300 }],
    [12_000, 10_000, { retry: false, limited: true, retryAt: now + 12_000 }],
  ])("of %i ms with %i ms of room", (backoffMs, maxWaitMs, expected) => {
    expect(decisionFor(limited, { backoffMs, roomMs: maxWaitMs, random: () => 1 })).toMatchObject(
      expected,
    );
  });

  it("does not delay a retry that the service did not ask for", () => {
    expect(decisionFor(neverSent, { backoffMs: 60_000 })).toMatchObject({ delayMs: 250 });
  });
});
