import { describe, expect, it } from "vitest";
import { parseReplyHead } from "../../../src/client/http/reply-head.ts";
import type { FailedRequest } from "../../../src/client/report/failed-request.ts";
import { hintsFor, rateLimitHints } from "../../../src/client/report/hints.ts";
import type { FailureKind } from "../../../src/core/errors.ts";

const local = new URL("http://127.0.0.1:1/v1");
const other = new URL("https://a.example/v2/");
const refused = {
  kind: "never_sent",
  reason: "x could not be reached: connection refused",
  timedOut: false,
  final: false,
  refused: true,
} as const;
const error = { code: "c", message: "m", status: 404 };

function answered(status: number): FailedRequest["outcome"] {
  return { kind: "reply", reply: { ...parseReplyHead(status, {}, 0), body: "" } };
}

function failed(outcome: FailedRequest["outcome"], more: Partial<FailedRequest>): FailedRequest {
  const decision = { retry: false, limited: false } as const;
  return { outcome, decision, attempts: 1, method: "GET", baseUrl: local, now: 0, ...more };
}

describe("hintsFor", () => {
  const ofThisStore = "check the base URL: it is http://127.0.0.1:1/v1";
  const startIt = "Is the store running? Start it with `pets serve`.";
  const logIn = "log in: `pets login --profile x`";

  it.each<
    [
      what: string,
      kind: FailureKind,
      outcome: FailedRequest["outcome"],
      more: Partial<FailedRequest>,
      hint: string,
    ]
  >([
    ["a local store that is down", "unreachable", refused, {}, startIt],
    [
      "another service that is down",
      "unreachable",
      refused,
      { baseUrl: other },
      "check the base URL and the network",
    ],
    [
      "a proxy that is down",
      "unreachable",
      { ...refused, byProxy: true },
      { baseUrl: other },
      "check the address and the credentials of the proxy",
    ],
    ["a key that is refused", "auth", answered(401), { keyHint: logIn }, logIn],
    [
      "404 without /v1",
      "not_found",
      answered(404),
      { baseUrl: other, error },
      "Does the base URL end in /v1? It is https://a.example/v2/",
    ],
    ["404 below /v1", "not_found", answered(404), {}, ofThisStore],
    ["a redirect", "service", answered(302), { location: "https://b.example/" }, ofThisStore],
    ["a body of another kind", "service", answered(200), { violation: "v" }, ofThisStore],
    [
      "a broken record in a list",
      "service",
      answered(200),
      { violation: "v", inRecord: true },
      "report it to the operator of the service",
    ],
    ["something that is not HTTP", "service", { kind: "malformed" }, {}, ofThisStore],
    ["a huge reply", "service", { kind: "too_large", head: undefined }, {}, ofThisStore],
    [
      "a reply that was cut off",
      "service",
      { kind: "cut_off", head: undefined },
      {},
      "try again later",
    ],
    ["a service in trouble", "service", answered(502), {}, "try again later"],
  ])("after %s", (_what, kind, outcome, more, hint) => {
    expect(hintsFor(kind, failed(outcome, more))).toEqual([hint]);
  });

  it("returns nothing after a 404 of the service itself", () => {
    expect(hintsFor("not_found", failed(answered(404), { error }))).toEqual([]);
  });
});

describe("rateLimitHints", () => {
  const retryAt = new Date(2026, 10, 5, 14, 5).getTime();
  const now = retryAt - 3_600_000;
  const banned = "more requests before then may get the key banned";

  it.each<[status: number | undefined, hints: readonly string[]]>([
    [undefined, ["try again at 14:05, or allow a longer wait with --max-wait", banned]],
    [429, ["try again at 14:05, or allow a longer wait with --max-wait", banned]],
    [503, ["try again at 14:05, or allow a longer wait with --max-wait"]],
  ])("warn of a ban after %j only if one is possible", (status, hints) => {
    expect(rateLimitHints({ retryAt }, now, status)).toEqual(hints);
  });

  it("do not suggest a longer wait if that would not have helped", () => {
    expect(rateLimitHints({ retryAt, exhausted: true }, now)[0]).toBe("try again at 14:05");
  });
});
