import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import { importsOfInput } from "../../../src/imports/database/import-records.ts";
import { recordedRows } from "../../../src/imports/database/rows.ts";
import { RunAbort } from "../../../src/imports/run/run-rows.ts";
import { rowsOf, runTest, turn } from "../support/run.ts";

const refused = new Failure("auth", "the key is refused", { status: 401 });
const interrupted = new Failure("interrupted", "interrupted");

describe("RunAbort", () => {
  it("stops waits and other rows with a Failure of its own, for the first reason", () => {
    const abort = new RunAbort();
    expect([abort.signal.aborted, abort.reason]).toEqual([false, undefined]);
    abort.stop(refused);
    abort.stop(interrupted);
    expect(abort.signal.reason).toMatchObject({ message: "the run was stopped" });
    expect([abort.sendSignal.aborted, abort.reason]).toEqual([false, { error: refused }]);
  });

  it("gives up requests in flight too, which then is the reason", () => {
    const abort = new RunAbort();
    abort.stop(refused);
    abort.abandon(interrupted);
    expect([abort.sendSignal.aborted, abort.reason]).toEqual([true, { error: interrupted }]);
  });
});

it("stops where another store responds, and records for that what was added there", async () => {
  const { database, outcomes, counts, reason } = await runTest({
    rows: rowsOf(9),
    service: async (pet, watcher) => {
      await watcher.onSend();
      await turn();
      watcher.onReply?.(pet.name === "Pet 1" ? "old" : "new");
      return { ...pet, id: BigInt(pet.name.slice(4)) };
    },
  });
  expect(reason).toMatchObject({ kind: "service", message: expect.stringContaining("replaced") });
  expect(outcomes).toEqual(["1 added"]);
  expect(counts).toMatchObject({ added: 1, sent: 0, unsent: 8 });
  const other = importsOfInput(database, "a").find(({ store }) => store === "new");
  expect(other).toMatchObject({ store: "new", added: 3, sent: 0, unsent: 6 });
  const there = other && recordedRows(database, other, 0, 9).filter(({ id }) => id !== null);
  expect(there?.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "2 added",
    "3 added",
    "4 added",
  ]);
});
