import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import { RunAbort } from "../../../src/imports/run/run-rows.ts";
import { rowsOf, runTest, turn } from "../support/run.ts";

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

it("stops where another store responds; what was sent to that is unknown", async () => {
  const { outcomes, counts, reason } = await runTest({
    rows: rowsOf(9),
    service: async (pet, watcher) => {
      await watcher.onSend();
      await turn();
      watcher.onReply?.(pet.name === "Pet 1" ? "old" : "new");
      return { ...pet, id: BigInt(pet.name.slice(4)) };
    },
  });
  expect(reason).toMatchObject({ kind: "service", message: expect.stringContaining("replaced") });
  expect(outcomes).toEqual(["1 added", "2 unknown", "3 unknown", "4 unknown"]);
  expect(counts).toMatchObject({ added: 1, sent: 0, unknown: 3, unsent: 5 });
});
