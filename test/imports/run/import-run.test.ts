import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import { importsOfInput } from "../../../src/imports/database/import-records.ts";
import { recordedRows } from "../../../src/imports/database/rows.ts";
import { ImportRun, RunAbort } from "../../../src/imports/run/import-run.ts";
import { instantClock, rowsOf, runTest, testImport, turn } from "../support/run.ts";

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

it("stops where another store answers, and keeps aside for that what was added there", async () => {
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
  const [other, own] = importsOfInput(database, "a");
  expect(own).toMatchObject({ store: "old", added: 1, sent: 0, unsent: 8 });
  const there = other && [...recordedRows(database, other, [0, 8]).values()];
  expect(there?.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "2 added",
    "3 added",
    "4 added",
  ]);
  expect(other).toMatchObject({ store: "new", added: 3, sent: 0, unsent: 6 });
});

it("leaves a row added that another store added before, whatever that says now", async () => {
  const [row] = rowsOf(1);
  if (row === undefined) throw new TypeError("no row");
  const { database, record } = await testImport([row]);
  const run = new ImportRun(database, record, instantClock, () => ({}));
  await run.end({ outcome: "added", row, pet: { ...row.pet, id: 7n } }, "unsent", "other");
  await run.end({ outcome: "rejected", row, failure: refused }, "unsent", "other");
  const other = importsOfInput(database, "a").find(({ store }) => store === "other");
  expect(other).toMatchObject({ added: 1, rejected: 0 });
  expect(recordedRows(database, other ?? { id: 0 }, [0, 0]).get(0)).toMatchObject({
    state: "added",
    id: "7",
  });
});
