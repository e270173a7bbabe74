import { describe, expect, it } from "vitest";
import type { RowCounts } from "../../../src/imports/types.ts";
import { isResumable, runFailure, runTotals } from "../../../src/commands/add-from/totals.ts";
import { Failure, signalFailure } from "../../../src/core/errors.ts";

const none: RowCounts = {
  rows: 0,
  unsent: 0,
  sent: 0,
  added: 0,
  rejected: 0,
  unknown: 0,
  known: 0,
  changed: 0,
  invalid: 0,
};

describe("runTotals", () => {
  it("counts what this run and earlier ones added, each row once", () => {
    const now = {
      ...none,
      rows: 31,
      unsent: 1,
      sent: 1,
      added: 14,
      rejected: 3,
      unknown: 5,
      known: 7,
    };
    expect(runTotals(now, { ...none, added: 10, rejected: 3 })).toEqual({
      rows: 31,
      added: 4,
      earlier: 10,
      rejected: 3,
      unknown: 6,
      notSent: 1,
      known: 7,
      changed: 0,
      invalid: 0,
    });
  });
});

describe("runFailure", () => {
  const all = runTotals({ ...none, added: 2, known: 1 }, none);
  const some = runTotals({ ...none, added: 1, rejected: 1 }, none);

  it("is undefined if every row was added, now or earlier", () => {
    expect(runFailure(all, undefined)).toBeUndefined();
  });

  it("has exit 9 if a row was not", () => {
    expect(runFailure(some, undefined)).toMatchObject({ kind: "partial" });
  });

  it("has the kind of what stopped the run", () => {
    const error = new Failure("auth", "the key is refused");
    expect(runFailure(some, { error })).toMatchObject({ kind: "auth" });
    expect(runFailure(all, { error: signalFailure("SIGINT") })).toMatchObject({
      kind: "interrupted",
    });
  });

  it("is an internal error unchanged", () => {
    const error = new TypeError("oh");
    expect(runFailure(some, { error })).toBe(error);
  });
});

it.each<[string, unknown, boolean]>([
  ["none", undefined, true],
  ["an internal error", new TypeError("oh"), true],
  ["one that says nothing of it", new Failure("io", "full"), true],
  ["one to be tried again", new Failure("service", "down", { retryable: true }), true],
  ["one that comes again", new Failure("io", "gone", { retryable: false }), false],
])("a run that ended with %s can be resumed: %s", (_what, failure, is) => {
  expect(isResumable(failure)).toBe(is);
});
