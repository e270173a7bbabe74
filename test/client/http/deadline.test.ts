import { expect, it } from "vitest";
import { Deadline } from "../../../src/client/http/deadline.ts";

it("is stopped once: the first reason counts", () => {
  const deadline = new Deadline(Infinity);
  const calls: string[] = [];
  deadline.onStop(() => calls.push("stopped"));
  const { signal } = deadline;
  deadline.stop("aborted");
  deadline.stop("timeout");
  expect([deadline.reason, calls, signal.aborted]).toEqual(["aborted", ["stopped"], true]);
});

it("tells those who come after it was stopped", () => {
  const deadline = new Deadline(Infinity);
  deadline.stop("aborted");
  const calls: string[] = [];
  deadline.onStop(() => calls.push("stopped"));
  expect([calls, deadline.signal.aborted]).toEqual([["stopped"], true]);
});
