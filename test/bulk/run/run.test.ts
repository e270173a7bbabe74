import { describe, expect, it } from "vitest";
import { RunAbort } from "../../../src/bulk/run/abort.ts";
import { Failure, type FailureKind, ioFailure } from "../../../src/core/errors.ts";
import { added, memoryJournal, rowsOf, runTest, type Service, turn } from "../support/run.ts";

const unknown = new Failure("outcome_unknown", "no answer in time");

/** Fails at the animals of these lines, once they were sent; adds the others. */
function failingAt(failures: Record<number, Failure>): Service {
  return async (pet, watcher, stop) => {
    const failure = failures[Number(pet.name.slice(4))];
    if (failure === undefined) return added(pet, watcher, stop);
    watcher.onSend();
    await turn();
    throw failure;
  };
}

/** Never answers in time. */
const silent: Service = async (_pet, watcher) => {
  watcher.onSend();
  throw unknown;
};

/** Refuses an animal once, and adds it then. */
const hesitant: Service = async (pet, watcher, stop) => {
  watcher.onSend();
  watcher.onRefused();
  return added(pet, watcher, stop);
};

describe("a run", () => {
  it("sends each row once, and tells of it when it is recorded", async () => {
    const journal = memoryJournal();
    const recorded: boolean[] = [];
    const { outcomes, reason } = await runTest({
      rows: rowsOf(10),
      journal,
      report: ({ row }) => void recorded.push(journal.told.includes(`added ${row.index}`)),
    });
    expect(outcomes).toEqual(rowsOf(10).map(({ line }) => `${line} added`));
    expect(recorded).toEqual(Array.from({ length: 10 }, () => true));
    expect(reason).toBeUndefined();
  });

  it("has as many on their way as it may, and takes them in order", async () => {
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

  it("does nothing without rows", async () => {
    expect(await runTest({ rows: [] })).toMatchObject({ outcomes: [], told: [] });
  });

  it("goes on after rows that are rejected or unknown", async () => {
    const rejected = new Failure("usage", "no", { status: 422 });
    const { outcomes, reason } = await runTest({
      rows: rowsOf(5),
      service: failingAt({ 2: rejected, 4: unknown }),
    });
    expect(outcomes.toSorted()).toEqual([
      "1 added",
      "2 rejected",
      "3 added",
      "4 unknown",
      "5 added",
    ]);
    expect(reason).toBeUndefined();
  });

  it.each<[FailureKind, number?]>([
    ["auth", 401],
    ["rate_limited", 429],
    ["service", 307],
  ])("stops at %s: the row is taken back, and what is on its way ends", async (kind, status) => {
    const failure = new Failure(kind, "no", status === undefined ? {} : { status });
    const { outcomes, told, reason } = await runTest({
      rows: rowsOf(100),
      service: failingAt({ 2: failure }),
    });
    expect(reason).toBe(failure);
    expect(told).toContain("back 1");
    expect(outcomes).toContain("1 added");
    expect(outcomes).toContain("3 added");
    expect(outcomes.length).toBeLessThan(6);
    expect(told.filter((what) => what.startsWith("send")).length).toBe(outcomes.length + 1);
  });

  it("takes nothing back that was never sent", async () => {
    const failure = new Failure("unreachable", "nobody there");
    const service: Service = () => Promise.reject(failure);
    const { told, reason } = await runTest({ rows: rowsOf(5), service });
    expect(told).toEqual([]);
    expect(reason).toBe(failure);
  });

  it("lets a refused row be sent again, and takes it back in between", async () => {
    const { told } = await runTest({ rows: rowsOf(1), service: hesitant });
    expect(told).toEqual(["send 0", "back 0", "send 0", "added 0"]);
  });

  it("stops with exit 7 when 50 in a row are unknown", async () => {
    const { outcomes, reason } = await runTest({ rows: rowsOf(200), service: silent });
    expect(reason).toMatchObject({ kind: "service" });
    expect(outcomes.length).toBeLessThan(60);
  });

  it("does not stop where some of them are known", async () => {
    const failures = Object.fromEntries(rowsOf(200).map(({ line }) => [line, unknown]));
    for (let line = 40; line < 200; line += 40) delete failures[line];
    const { outcomes, reason } = await runTest({ rows: rowsOf(200), service: failingAt(failures) });
    expect(reason).toBeUndefined();
    expect(outcomes).toHaveLength(200);
  });
});

describe("a run after an earlier one", () => {
  const states = { 0: "added", 1: "rejected", 2: "unknown", 3: "sent" } as const;

  it("sends what is unsent, and tells again what is unknown", async () => {
    const { outcomes, told } = await runTest({ rows: rowsOf(6), states });
    expect(outcomes.toSorted()).toEqual(["3 unknown", "4 unknown", "5 added", "6 added"]);
    expect(told.filter((what) => what.startsWith("send"))).toEqual(["send 4", "send 5"]);
  });

  it("sends the unknown ones where that is asked for", async () => {
    const { outcomes } = await runTest({ rows: rowsOf(6), states, retryUnknown: true });
    expect(outcomes.toSorted()).toEqual(["3 added", "4 added", "5 added", "6 added"]);
  });
});

describe("a run that can't go on", () => {
  it("sends nothing that can't be recorded first", async () => {
    const failure = ioFailure("the journal can't be written");
    const journal = memoryJournal();
    let sent = 0;
    const service: Service = async (pet, watcher) => {
      watcher.onSend();
      sent += 1;
      return { ...pet, id: 1n };
    };
    const broken = () => {
      throw failure;
    };
    const { outcomes, reason } = await runTest({
      rows: rowsOf(5),
      service,
      journal: { ...journal, journal: { ...journal.journal, recordSend: broken } },
    });
    expect({ sent, outcomes, reason }).toEqual({ sent: 0, outcomes: [], reason: failure });
  });

  it("tells of nothing whose end can't be recorded", async () => {
    const failure = ioFailure("the journal can't be written");
    const journal = memoryJournal();
    const recordOutcome = () => {
      throw failure;
    };
    const { outcomes, reason, told } = await runTest({
      rows: rowsOf(50),
      journal: { ...journal, journal: { ...journal.journal, recordOutcome } },
    });
    expect({ outcomes, reason }).toEqual({ outcomes: [], reason: failure });
    expect(told).toEqual(["send 0", "send 1", "send 2"]);
  });

  it.each([
    ["its input has changed", ioFailure("the file changed")],
    ["the reader has a fault", new TypeError("oh")],
  ])("ends what is on its way when %s", async (_what, failure) => {
    const rows = (async function* () {
      yield rowsOf(2);
      throw failure;
    })();
    const { outcomes, reason } = await runTest({ rows });
    expect(outcomes).toEqual(["1 added", "2 added"]);
    expect(reason).toBe(failure);
  });

  it("stops when a row can't be told of", async () => {
    const failure = ioFailure("the disk is full");
    const { outcomes, reason } = await runTest({
      rows: rowsOf(50),
      report: () => Promise.reject(failure),
    });
    expect(outcomes.length).toBeLessThan(6);
    expect(reason).toBe(failure);
  });

  it("stops for a fault, whose row stays in doubt", async () => {
    const fault = new TypeError("oh");
    const service: Service = async (_pet, watcher) => {
      watcher.onSend();
      throw fault;
    };
    const { told, reason } = await runTest({ rows: rowsOf(3), service, concurrency: 1 });
    expect(told).toEqual(["send 0"]);
    expect(reason).toBe(fault);
  });
});

describe("a run that is told to end", () => {
  const interrupted = new Failure("interrupted", "interrupted");

  it("lets what is on its way finish", async () => {
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

  it("leaves the outcome of what it gives up unknown, whatever stopped it before", async () => {
    const stop = new RunAbort();
    const refused = new Failure("auth", "the key is refused", { status: 401 });
    const service: Service = async (pet, watcher) => {
      watcher.onSend();
      if (pet.name === "Pet 1") throw refused;
      await new Promise((resolve) => stop.sendSignal.addEventListener("abort", resolve));
      throw stop.signal.reason;
    };
    const run = runTest({ rows: rowsOf(50), service, stop });
    await turn();
    await turn();
    stop.abandon(interrupted);
    const { outcomes, told, reason } = await run;
    expect(outcomes).toEqual(["2 unknown", "3 unknown"]);
    expect(told).toContain("back 0");
    expect(reason).toBe(interrupted);
  });
});
