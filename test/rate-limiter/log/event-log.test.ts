import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EventLog, inMemoryLog, ProcessLog } from "../../../src/rate-limiter/log/event-log.ts";
import type { LogRecord } from "../../../src/rate-limiter/rules/records.ts";
import { applyRecord } from "../../../src/rate-limiter/rules/reducer.ts";
import { emptyState } from "../../../src/rate-limiter/rules/state.ts";
import { refused, release, reserve, stamp } from "../support/records.ts";

const now = () => stamp(1000);

function openWith(openLog: () => EventLog) {
  const reasons: string[] = [];
  const log = new ProcessLog({ openLog, now, onDegraded: (what) => reasons.push(what) });
  return { log, reasons };
}

/** Returns the log `inner` that keeps what is written to it in `written`. */
const noting = (inner: EventLog, written: LogRecord[]): EventLog => ({
  ...inner,
  append: (one) => void written.push(one),
});

/** Returns the time at `at` by an uptime of whole seconds, read `since` ms before and extrapolated. */
const wholeSeconds = (at: number, since: number) =>
  stamp(Math.floor((at - since) / 1000) * 1000 + since);

describe("the log of a process", () => {
  it("opens the shared log once, on first use", () => {
    let opened = 0;
    const { log, reasons } = openWith(() => {
      opened += 1;
      return inMemoryLog(now);
    });
    expect(opened).toBe(0);
    log.refresh();
    log.write(reserve("a"));
    expect([log.state.permits.size, opened, reasons]).toEqual([1, 1, []]);
  });

  it("falls back to this process alone if the shared log can't be opened, and reports that once", () => {
    const { log, reasons } = openWith(() => {
      throw new Error("no home");
    });
    log.write(reserve("a"));
    log.write(reserve("b"));
    log.refresh();
    expect([...log.state.permits.keys()]).toEqual(["a", "b"]);
    expect(reasons).toEqual(["no home"]);
  });

  it("records a time that no reader sees as earlier than it was", () => {
    const written: LogRecord[] = [];
    openWith(() => noting(inMemoryLog(now), written)).log.write(release("a"));
    expect(written).toEqual([{ stamp: { ...stamp(1000), uptime: 1010 }, event: release("a") }]);
  });

  it("is never early where the uptime has whole seconds", () => {
    const since = fc.integer({ min: 0, max: 100 });
    const ms = fc.integer({ min: 0, max: 6000 });
    fc.assert(
      fc.property(ms, ms, ms, since, since, (start, waitMs, later, sinceRefusal, sinceRead) => {
        const refusedAt = start + 10_000;
        const at = refusedAt + later;
        const written: LogRecord[] = [];
        const time = () => wholeSeconds(refusedAt, sinceRefusal);
        const openLog = () => noting(inMemoryLog(time), written);
        const options = { openLog, now: time, tickMs: 1000, onDegraded: () => {} };
        new ProcessLog(options).write(refused("a", waitMs));
        const reader = wholeSeconds(at, sinceRead);
        const state = emptyState();
        for (const each of written) applyRecord(state, each, reader);
        expect(state.backoff).toBeDefined();
        const isOver = reader.uptime >= (state.backoff?.until ?? 0);
        expect(isOver && at < refusedAt + waitMs).toBe(false);
      }),
    );
  });
});
