import { describe, expect, it } from "vitest";
import { RunAbort } from "../../../src/imports/run/import-run.ts";
import { Failure } from "../../../src/core/errors.ts";

const refused = new Failure("auth", "the key is refused", { status: 401 });
const interrupted = new Failure("interrupted", "interrupted");

describe("RunAbort", () => {
  it("is not aborted at first", () => {
    const abort = new RunAbort();
    expect([abort.signal.aborted, abort.sendSignal.aborted]).toEqual([false, false]);
    expect(abort.reason).toBeUndefined();
  });

  it("stops waits and lets requests in flight finish, for the first reason", () => {
    const abort = new RunAbort();
    abort.stop(refused);
    abort.stop(interrupted);
    expect([abort.signal.aborted, abort.sendSignal.aborted]).toEqual([true, false]);
    expect(abort.reason).toEqual({ error: refused });
  });

  it("ends other rows with a different Failure", () => {
    const abort = new RunAbort();
    abort.stop(refused);
    expect(abort.signal.reason).toMatchObject({
      kind: "interrupted",
      message: "the run was stopped",
    });
  });

  it("gives up requests in flight too, which then is the reason", () => {
    const abort = new RunAbort();
    abort.stop(refused);
    abort.abandon(interrupted);
    expect([abort.signal.aborted, abort.sendSignal.aborted]).toEqual([true, true]);
    expect(abort.reason).toEqual({ error: interrupted });
  });
});
