import { describe, expect, it } from "vitest";
import { type AttemptOutcome, describeOutcome } from "../../../src/client/http/outcome.ts";
import { parseReplyHead } from "../../../src/client/http/reply-head.ts";

describe("describeOutcome", () => {
  const neverSent = { kind: "never_sent", reason: "x is unreachable: why", final: false };

  it.each<[AttemptOutcome, string]>([
    [
      { kind: "reply", reply: { ...parseReplyHead(503, {}, 0), body: "" } },
      "x responded with 503 ",
    ],
    [{ ...neverSent, kind: "never_sent", timedOut: false }, "x is unreachable: why"],
    [
      { ...neverSent, kind: "never_sent", timedOut: true },
      "x is unreachable: connection timed out",
    ],
    [{ kind: "tls", reason: "the certificate of x", certificate: true }, "the certificate of x"],
    [{ kind: "timeout" }, "x did not send a complete response in time"],
    [{ kind: "reset" }, "x closed the connection without a response"],
    [{ kind: "malformed" }, "x sent a response that is not valid HTTP"],
    [{ kind: "cut_off", head: undefined }, "x closed the connection in the middle of its response"],
    [{ kind: "too_large", head: undefined }, "x sent a response over 8 MiB"],
    [{ kind: "unreadable", head: undefined }, "x sent a response that cannot be decoded"],
    [{ kind: "aborted", sent: true }, "x had not responded when the request was cancelled"],
  ])("%j", (outcome, expected) => {
    expect(describeOutcome(outcome, "x")).toContain(expected);
  });
});
