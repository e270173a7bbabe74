import { expect, it } from "vitest";
import { type AttemptOutcome, describeOutcome, headOf } from "../../../src/client/http/outcome.ts";
import type { ReplyHead } from "../../../src/client/http/reply-head.ts";

const head = { status: 599 } as ReplyHead;
const neverSent = { kind: "never_sent", reason: "proxy p is down" } as const;

it.each<[AttemptOutcome, string, ReplyHead?]>([
  [
    { kind: "reply", reply: { ...head, status: 404, body: undefined } },
    "responded with 404 Not Found",
    head,
  ],
  [{ kind: "reply", reply: { ...head, body: "" } }, "responded with 599", head],
  [{ kind: "cut_off", head }, "closed the connection in the middle of its response", head],
  [{ kind: "cut_off", head: undefined }, "closed the connection in the middle of its response"],
  [{ kind: "timeout" }, "did not send a complete response in time"],
  [{ ...neverSent, problem: "timedOut" }, "is unreachable: connection timed out"],
])("%j is described, and its head is found", (outcome, text, found) => {
  expect(describeOutcome(outcome, "shop")).toBe(`shop ${text}`);
  expect(headOf(outcome) !== undefined).toBe(found !== undefined);
});

it("a connection that was not made says why itself", () => {
  expect(describeOutcome({ ...neverSent, problem: "proxy" }, "shop")).toBe("proxy p is down");
});
