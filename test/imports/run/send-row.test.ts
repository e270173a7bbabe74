import { describe, expect, it, vi } from "vitest";
import type { RunParts } from "../../../src/imports/run/types.ts";
import { classifyFailure, sendRow, unknownEarlier } from "../../../src/imports/run/send-row.ts";
import type { SendObserver } from "../../../src/client/types.ts";
import { Failure, type FailureKind, ioFailure } from "../../../src/core/errors.ts";
import { anyStore, memoryJournal } from "../support/run.ts";

describe("classifyFailure", () => {
  it.each<[FailureKind, number | undefined, boolean, string, boolean]>([
    ["usage", 400, true, "rejected", false],
    ["usage", 413, true, "rejected", false],
    ["usage", 422, true, "rejected", false],
    ["usage", undefined, false, "not_sent", true],
    ["not_found", 404, true, "rejected", false],
    ["outcome_unknown", 500, true, "unknown", false],
    ["outcome_unknown", undefined, true, "unknown", false],
    ["auth", 401, true, "not_sent", true],
    ["auth", 403, true, "not_sent", true],
    ["rate_limited", 429, true, "not_sent", true],
    ["rate_limited", undefined, false, "not_sent", true],
    ["unreachable", undefined, false, "not_sent", true],
    ["service", 307, true, "not_sent", true],
    ["service", 405, true, "not_sent", true],
    ["interrupted", undefined, true, "unknown", true],
    ["interrupted", undefined, false, "not_sent", true],
    ["terminated", undefined, true, "unknown", true],
    ["terminated", undefined, false, "not_sent", true],
    ["io", undefined, false, "not_sent", true],
    ["io", undefined, true, "unknown", true],
    ["internal", undefined, true, "internal_error", true],
    ["partial", undefined, false, "internal_error", true],
  ])(
    "%s with status %s, in doubt: %s, is %s, stops: %s",
    (kind, status, inDoubt, outcome, stops) => {
      const failure = new Failure(kind, "…", status === undefined ? {} : { status });
      expect(classifyFailure(failure, inDoubt)).toEqual({ outcome, stops });
    },
  );

  it("treats anything else as an internal error", () => {
    expect(classifyFailure(new TypeError("x"), true)).toEqual({
      outcome: "internal_error",
      stops: true,
    });
  });
});

describe("sendRow", () => {
  const row = { index: 0, line: 1, pet: { name: "Rex", categoryId: 1n } };
  const pet = { ...row.pet, id: 7n };
  const unknown = new Failure("outcome_unknown", "no reply in time");
  const refused = new Failure("auth", "the key is refused", { status: 401 });
  const invalid = new Failure("usage", "no", { status: 422 });
  const internal = new TypeError("oh");

  /** Sends the row to a service that handles it like this. */
  async function send(service: (observer: SendObserver) => void) {
    const { journal, records } = memoryJournal();
    const add = async (_pet: object, observer?: SendObserver) => {
      service(observer ?? { onSend() {}, onRefused() {} });
      return pet;
    };
    return { ...(await sendRow(row, { add, journal, stores: anyStore })), records };
  }

  it("records the send and the outcome of an added row", async () => {
    expect(await send((observer) => observer.onSend())).toEqual({
      end: { outcome: "added", row, pet },
      records: ["send 0", "added 0"],
    });
  });

  it.each<readonly [string, Error, readonly string[], object]>([
    [
      "rejected",
      invalid,
      ["send 0", "rejected 0"],
      { end: { outcome: "rejected", row, failure: invalid } },
    ],
    [
      "unknown",
      unknown,
      ["send 0", "unknown 0"],
      { end: { outcome: "unknown", row, failure: unknown } },
    ],
    ["refused", refused, ["send 0", "refused 0"], { stop: { error: refused } }],
    ["left in doubt", internal, ["send 0"], { stop: { error: internal } }],
  ])("records a row that is %s", async (_what, error, records, result) => {
    const sent = send((observer) => {
      void observer.onSend();
      throw error;
    });
    expect(await sent).toEqual({ ...result, records });
  });

  it("records nothing for a row that was not sent", async () => {
    const sent = send(() => {
      throw refused;
    });
    expect(await sent).toEqual({ stop: { error: refused }, records: [] });
  });

  it("reports no outcome that can't be recorded, and stops the run", async () => {
    const error = ioFailure("the disk is full");
    const { journal } = memoryJournal();
    const recordOutcome = (): void => {
      throw error;
    };
    const add = vi.fn<RunParts["add"]>().mockResolvedValue(pet);
    const result = await sendRow(row, {
      add,
      journal: { ...journal, recordOutcome },
      stores: anyStore,
    });
    expect(result).toEqual({ stop: { error } });
  });

  it("has a Failure for rows of earlier runs that is not retryable by default", () => {
    expect(unknownEarlier).toMatchObject({ kind: "outcome_unknown", facts: { retryable: false } });
  });
});
