import { describe, expect, it } from "vitest";
import {
  type EventLog,
  FallbackLog,
  inMemoryLog,
} from "../../../src/rate-limiter/log/event-log.ts";
import { record, refused, reserve, stamp } from "../support/records.ts";

const now = () => stamp(1000);

function setUp(openLog: () => EventLog) {
  const reasons: string[] = [];
  const log = new FallbackLog({ openLog, now, onDegraded: (what) => reasons.push(what) });
  return { log, reasons };
}

describe("inMemoryLog", () => {
  it("applies what is appended", () => {
    const log = inMemoryLog(now);
    log.append(record([1000, reserve("a")]), record([1000, reserve("b")]));
    log.refresh();
    expect([...log.state.permits.keys()]).toEqual(["a", "b"]);
  });
});

describe("FallbackLog", () => {
  it("opens the shared log once, on first use", () => {
    let opened = 0;
    const { log, reasons } = setUp(() => {
      opened += 1;
      return inMemoryLog(now);
    });
    expect(opened).toBe(0);
    expect([log.withLog(() => 1), log.withLog(() => 2), opened, reasons]).toEqual([1, 2, 1, []]);
  });

  it("falls back to this process alone if the shared log can't be opened, and reports that once", () => {
    const { log, reasons } = setUp(() => {
      throw new Error("no home");
    });
    log.withLog((own) => own.append(record([1000, reserve("a")])));
    expect(log.withLog((own) => own.state.permits.size)).toBe(1);
    expect(reasons).toEqual(["no home"]);
  });

  it("runs a step again with the state so far if the shared log fails in it", () => {
    const shared = inMemoryLog(now);
    shared.append(record([1000, refused("x", 5000)]));
    const { log, reasons } = setUp(() => ({
      ...shared,
      append: () => {
        throw new Error("the disk is full");
      },
    }));
    log.withLog((own) => own.append(record([1000, reserve("a")])));
    const { backoff, permits } = log.withLog((own) => own.state);
    expect([backoff?.until, [...permits.keys()], reasons]).toEqual([
      6000,
      ["a"],
      ["the disk is full"],
    ]);
  });
});
