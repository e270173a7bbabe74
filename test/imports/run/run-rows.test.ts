import { describe, expect, it } from "vitest";
import { Failure, type FailureKind, ioFailure } from "../../../src/core/errors.ts";
import { importsOfInput, recordedRows } from "../../../src/imports/database/import-records.ts";
import { RunAbort } from "../../../src/imports/run/import-run.ts";
import { classifyFailure } from "../../../src/imports/run/run-rows.ts";
import { fakeClock } from "../../support/command/terminal.ts";
import { added, rowsOf, runTest, type Service, turn } from "../support/run.ts";

const unknown = new Failure("outcome_unknown", "no answer in time");

/** Fails for the animals of these lines after they were sent; adds the others. */
function failingAt(failures: Record<number, Failure>): Service {
  return async (pet, watcher, stop) => {
    const failure = failures[Number(pet.name.slice(4))];
    if (failure === undefined) return added(pet, watcher, stop);
    await watcher.onSend();
    await turn();
    throw failure;
  };
}

/** Refuses an animal once, then adds it. */
const hesitant: Service = async (pet, watcher, stop) => {
  await watcher.onSend();
  watcher.onRefused();
  return added(pet, watcher, stop);
};

describe("a run", () => {
  it("sends each row once, and reports it after it is recorded", async () => {
    const { outcomes, reason, stored } = await runTest({ rows: rowsOf(10) });
    expect(outcomes).toEqual(rowsOf(10).map(({ line }) => `${line} added`));
    expect(stored.map(({ state, id }) => [state, id])).toEqual(
      rowsOf(10).map(({ line }) => ["added", String(line)]),
    );
    expect(reason).toBeUndefined();
  });

  it("has as many rows in flight as allowed, in order", async () => {
    let now = 0;
    let most = 0;
    const order: string[] = [];
    await runTest({
      rows: rowsOf(20),
      concurrency: 4,
      service: async (pet, watcher, stop) => {
        order.push(pet.name);
        most = Math.max(most, ++now);
        const result = await added(pet, watcher, stop);
        now -= 1;
        return result;
      },
    });
    expect(most).toBe(4);
    expect(order).toEqual(rowsOf(20).map(({ pet }) => pet.name));
  });

  it("continues after rejected and unknown rows", async () => {
    const rejected = new Failure("rejected", "no", { status: 422, hasErrorBody: true });
    const { outcomes, reason } = await runTest({
      rows: rowsOf(5),
      service: failingAt({ 2: rejected, 4: unknown }),
    });
    const ends = ["1 added", "2 rejected", "3 added", "4 unknown", "5 added"];
    expect(outcomes.toSorted()).toEqual(ends);
    expect(reason).toBeUndefined();
  });

  it.each(["auth", "rate_limited", "service"] as const)(
    "stops at %s: the row is recorded as refused, and rows in flight finish",
    async (kind) => {
      const failure = new Failure(kind, "no");
      const { outcomes, records, reason } = await runTest({
        rows: rowsOf(100),
        service: failingAt({ 2: failure }),
      });
      expect(reason).toBe(failure);
      expect(records).toContain("unsent 1");
      expect(outcomes).toContain("1 added");
      expect(outcomes).toContain("3 added");
      expect(outcomes.length).toBeLessThan(6);
      const count = (what: string) => records.filter((each) => each.startsWith(what)).length;
      expect(count("sent") - count("unsent")).toBe(outcomes.length);
    },
  );

  it("records no refusal of a row that was never sent", async () => {
    const failure = new Failure("unreachable", "nobody there");
    const service: Service = () => Promise.reject(failure);
    const { records, reason } = await runTest({ rows: rowsOf(5), service });
    expect(records).toEqual([]);
    expect(reason).toBe(failure);
  });

  it("records a refusal before the row is sent again", async () => {
    const { records } = await runTest({ rows: rowsOf(1), service: hesitant });
    expect(records).toEqual(["sent 0", "unsent 0", "sent 0", "added 0"]);
  });

  it("paces what is sent again evenly, too", async () => {
    const clock = fakeClock();
    const sentAt: number[] = [];
    const service: Service = async (pet, watcher, stop) => {
      await watcher.onSend();
      sentAt.push(clock.monotonic());
      await clock.sleep(1500);
      watcher.onRefused();
      await watcher.onRetry?.();
      const onSend = async (): Promise<void> => {
        await watcher.onSend();
        sentAt.push(clock.monotonic());
      };
      return added(pet, { ...watcher, onSend }, stop);
    };
    const { outcomes } = await runTest({ rows: rowsOf(6), service, clock, intervalMs: 1000 });
    expect(outcomes).toHaveLength(6);
    expect(sentAt).toHaveLength(12);
    const gaps = sentAt.slice(1).map((at, n) => at - (sentAt[n] ?? at));
    expect(Math.min(...gaps)).toBe(1000);
  });

  it("sends no row whose turn began before the service failed", async () => {
    const clock = fakeClock();
    const sentAt: number[] = [];
    const service: Service = async (pet, watcher, stop) => {
      // The second row waits for the rate limiter, while the first one fails.
      if (pet.name === "Pet 2" && clock.monotonic() === 0) await turn();
      await turn();
      await watcher.onSend();
      sentAt.push(clock.monotonic());
      if (pet.name === "Pet 1") throw unknown;
      return added(pet, { onSend() {}, onRefused() {} }, stop);
    };
    const { outcomes } = await runTest({ rows: rowsOf(2), service, clock });
    expect(outcomes).toEqual(["1 unknown", "2 added"]);
    expect(sentAt).toEqual([0, 750]);
  });

  it("sends one row at a time while the service fails, of which few are unknown then", async () => {
    const clock = fakeClock();
    let [inFlight, most] = [0, 0];
    const service: Service = async (pet, watcher) => {
      await watcher.onSend();
      const sentAt = clock.monotonic();
      const isDown = sentAt < 60_000;
      inFlight += 1;
      if (sentAt > 0 && isDown) most = Math.max(most, inFlight);
      await clock.sleep(20);
      inFlight -= 1;
      if (isDown) throw unknown;
      return { ...pet, id: 1n };
    };
    const run = await runTest({ rows: rowsOf(60), service, clock, concurrency: 8 });
    expect(run.reason).toBeUndefined();
    const ends = Object.groupBy(run.outcomes, (outcome) => outcome.split(" ")[1] ?? "");
    expect([most, ends.unknown?.length, ends.added?.length]).toEqual([1, 11, 49]);
  });
});

describe("a run after an earlier one", () => {
  const states = { 0: "added", 1: "rejected", 2: "sent", 3: "sent" } as const;

  it("sends unsent rows, and reports unknown ones again", async () => {
    const { outcomes, records } = await runTest({ rows: rowsOf(6), states });
    expect(outcomes.toSorted()).toEqual(["3 unknown", "4 unknown", "5 added", "6 added"]);
    expect(records.filter((what) => what.startsWith("sent"))).toEqual(["sent 4", "sent 5"]);
  });

  it("leaves a row unknown that is sent again and rejected: the first send may have added it", async () => {
    const rejected = new Failure("rejected", "no", { status: 409, hasErrorBody: true });
    const service = failingAt({ 3: rejected, 6: rejected });
    const run = await runTest({ rows: rowsOf(6), states, retryUnknown: true, service });
    expect(run.outcomes.toSorted()).toEqual(["3 unknown", "4 added", "5 added", "6 rejected"]);
    expect(run.counts).toMatchObject({ unknown: 1, rejected: 2 });
    expect(run.stored[2]).toMatchObject({
      state: "sent",
      error: "sent again, and rejected: no",
    });
  });

  it.each([false, true])(
    "sends no row that another import stands for, retried: %s",
    async (retryUnknown) => {
      const ends = ["added", "sent", "unsent", "rejected"] as const;
      const run = await runTest({ rows: rowsOf(5), retryUnknown, covers: ends });
      expect(run.outcomes.toSorted()).toEqual(["2 unknown", "5 added"]);
      expect(run.records.filter((what) => what.startsWith("sent"))).toEqual(["sent 4"]);
      // What became of the others became known during this run: the next one sends these rows.
      const counts = { added: 1, known: 1, unknown: 1, waiting: 0, unsent: 2 };
      expect(run.counts).toMatchObject(counts);
      expect(run.ends[0]).toMatchObject({
        failure: { message: "an earlier file may have added it" },
      });
    },
  );

  it("sends the unknown ones with --retry-unknown", async () => {
    const { outcomes } = await runTest({ rows: rowsOf(6), states, retryUnknown: true });
    expect(outcomes.toSorted()).toEqual(["3 added", "4 added", "5 added", "6 added"]);
  });
});

describe("a run that can't continue", () => {
  const fullDisk = ioFailure("the database cannot be written");

  it("sends nothing that can't be recorded first", async () => {
    let sent = 0;
    const service: Service = async (pet, watcher) => {
      await watcher.onSend();
      sent += 1;
      return { ...pet, id: 1n };
    };
    const onRecord = (): never => {
      throw fullDisk;
    };
    const { outcomes, reason } = await runTest({ rows: rowsOf(5), service, onRecord });
    expect({ sent, outcomes, reason }).toEqual({ sent: 0, outcomes: [], reason: fullDisk });
  });

  it("reports no row whose outcome can't be recorded", async () => {
    const onRecord = (what: string) => {
      if (what.startsWith("added")) throw fullDisk;
    };
    const { outcomes, reason, counts } = await runTest({ rows: rowsOf(50), onRecord });
    expect({ outcomes, reason }).toEqual({ outcomes: [], reason: fullDisk });
    expect(counts).toMatchObject({ unknown: 3, unsent: 47 });
  });

  it.each([
    ["its input has changed", ioFailure("the file changed")],
    ["the reader has an internal error", new TypeError("oh")],
  ])("lets rows in flight finish when %s", async (_what, failure) => {
    const rows = (async function* () {
      yield rowsOf(2);
      // Both are on their way by then.
      for (let i = 0; i < 20; i += 1) await turn();
      throw failure;
    })();
    const { outcomes, reason } = await runTest({ rows });
    expect(outcomes).toEqual(["1 added", "2 added"]);
    expect(reason).toBe(failure);
  });

  it("stops when a row can't be reported", async () => {
    const report = () => Promise.reject(fullDisk);
    const { outcomes, reason } = await runTest({ rows: rowsOf(50), report });
    expect(outcomes.length).toBeLessThan(6);
    expect(reason).toBe(fullDisk);
  });

  it("stops at an internal error, whose row stays in doubt", async () => {
    const fault = new TypeError("oh");
    const service: Service = async (_pet, watcher) => {
      await watcher.onSend();
      throw fault;
    };
    const { records, reason } = await runTest({ rows: rowsOf(3), service, concurrency: 1 });
    expect(records).toEqual(["sent 0"]);
    expect(reason).toBe(fault);
  });
});

describe("a run that is aborted", () => {
  const interrupted = new Failure("interrupted", "interrupted");

  it("lets rows in flight finish", async () => {
    const stop = new RunAbort();
    const service: Service = async (pet, watcher) => {
      const result = await added(pet, watcher, stop);
      if (pet.name === "Pet 2") stop.stop(interrupted);
      return result;
    };
    const { outcomes, reason } = await runTest({ rows: rowsOf(50), service, stop });
    expect(outcomes.slice(0, 3)).toEqual(["1 added", "2 added", "3 added"]);
    expect(outcomes.length).toBeLessThan(6);
    expect(reason).toBe(interrupted);
  });

  it("leaves the outcome of abandoned rows unknown, whatever stopped it before", async () => {
    const stop = new RunAbort();
    const refused = new Failure("auth", "the key is refused", { status: 401 });
    const service: Service = async (pet, watcher) => {
      await watcher.onSend();
      if (pet.name === "Pet 1") throw refused;
      await new Promise((resolve) => stop.sendSignal.addEventListener("abort", resolve));
      throw stop.signal.reason;
    };
    const run = runTest({ rows: rowsOf(50), service, stop });
    while (stop.reason === undefined) await turn();
    stop.abandon(interrupted);
    const { outcomes, records, reason } = await run;
    expect(outcomes).toEqual(["2 unknown", "3 unknown"]);
    expect(records).toContain("unsent 0");
    expect(reason).toBe(interrupted);
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
  expect(counts).toMatchObject({ added: 1, unknown: 0, unsent: 8 });
  const other = importsOfInput(database, "a").find(({ store }) => store === "new");
  expect(other).toMatchObject({ store: "new", added: 3, unknown: 0, unsent: 6 });
  const there = other && recordedRows(database, other, 0, 9).filter(({ id }) => id !== null);
  const ended = there?.map(({ id, state }) => `${id} ${state}`);
  expect(ended).toEqual(["2 added", "3 added", "4 added"]);
});

it("sends a row once those that ended before its turn are reported", async () => {
  const order: string[] = [];
  await runTest({
    rows: rowsOf(4),
    concurrency: 3,
    service: async (pet, watcher) => {
      await watcher.onSend();
      order.push(pet.name);
      await turn();
      return { ...pet, id: 1n };
    },
    report: ({ row }) => void order.push(`${row.pet.name} reported`),
  });
  expect(order.indexOf("Pet 4")).toBeGreaterThan(order.indexOf("Pet 2 reported"));
});

it("stops at a redirect, the row of which is unknown", async () => {
  const redirect = new Failure("outcome_unknown", "a redirect", { status: 303, retryable: false });
  const run = await runTest({
    rows: rowsOf(9),
    service: failingAt({ 1: redirect }),
    concurrency: 1,
  });
  expect(run.outcomes).toEqual(["1 unknown"]);
  expect(run.reason).toMatchObject({ kind: "service", code: "bad_response", exitCode: 7 });
});

it("records one more import at most where each response is of another store", async () => {
  const run = await runTest({
    rows: rowsOf(9),
    service: async (pet, watcher) => {
      await watcher.onSend();
      await turn();
      watcher.onReply?.(pet.name);
      return { ...pet, id: 1n };
    },
  });
  expect(run.outcomes).toEqual(["1 added", "3 unknown", "4 unknown"]);
  expect(run.counts).toMatchObject({ added: 1, unknown: 2, unsent: 6 });
  const imports = importsOfInput(run.database, "a").map((each) => `${each.store} ${each.added}`);
  expect(imports.toSorted()).toEqual(["Pet 1 1", "Pet 2 1"]);
});

it.each<[FailureKind, number | undefined, "Error body" | "sent" | "unsent", string, boolean]>([
  ["rejected", 422, "Error body", "rejected", false],
  ["not_found", 404, "Error body", "not_sent", true],
  ["service", 405, "Error body", "not_sent", true],
  ["auth", 401, "Error body", "not_sent", true],
  ["rate_limited", 429, "Error body", "not_sent", true],
  ["outcome_unknown", 500, "Error body", "unknown", false],
  ["rejected", 413, "sent", "not_sent", true],
  ["usage", undefined, "unsent", "not_sent", true],
  ["outcome_unknown", undefined, "sent", "unknown", false],
  ["unreachable", undefined, "unsent", "not_sent", true],
  ["service", 307, "sent", "not_sent", true],
  ["outcome_unknown", 303, "sent", "unknown", true],
  ["outcome_unknown", 408, "sent", "unknown", false],
  ["interrupted", undefined, "sent", "unknown", true],
  ["interrupted", undefined, "unsent", "not_sent", true],
  ["terminated", undefined, "sent", "unknown", true],
  ["io", undefined, "unsent", "not_sent", true],
  ["io", undefined, "sent", "unknown", true],
  ["internal", undefined, "sent", "internal_error", true],
  ["partial", undefined, "unsent", "internal_error", true],
])(
  "a failure %s of status %s, %s: the row is %s, stops: %s",
  (kind, status, what, outcome, stops) => {
    const failure = new Failure(kind, "…", {
      ...(status !== undefined && { status }),
      ...(what === "Error body" && { hasErrorBody: true }),
    });
    expect(classifyFailure(failure, what !== "unsent")).toEqual({ outcome, stops });
  },
);
