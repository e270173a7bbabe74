import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EventLog, inMemoryLog } from "../../src/rate-limiter/log/event-log.ts";
import { ProcessLog } from "../../src/rate-limiter/process-log.ts";
import type { LogRecord } from "../../src/rate-limiter/rules/records.ts";
import { applyRecord } from "../../src/rate-limiter/rules/reducer.ts";
import { emptyState } from "../../src/rate-limiter/rules/state.ts";
import { lost, record, refused, release, reserve, stamp } from "./support/records.ts";

const now = () => stamp(1000);
const isRelease = ({ kind }: { kind: string }) => kind === "release";

/** Returns a writer at uptime 1000, the records of each of its appends, and the end of the turn. */
function setUp() {
  const appends: LogRecord[][] = [];
  const steps: (() => void)[] = [];
  const writer = new ProcessLog({
    openLog: () => {
      const inner = inMemoryLog(now);
      return { ...inner, append: (...records) => void appends.push([...records]) };
    },
    now,
    onDegraded: (what) => {
      throw new Error(what);
    },
    schedule: (step) => void steps.push(step),
  });
  const kinds = () => appends.map((records) => records.map(({ event }) => event.kind).join(" "));
  const endTurn = (): void => steps.splice(0).forEach((step) => step());
  return { writer, appends, kinds, endTurn, steps };
}

describe("what a process writes", () => {
  it("writes deferred events with the next one, before it", () => {
    const { writer, kinds } = setUp();
    writer.defer(release("a"));
    writer.defer(lost("b"));
    writer.refresh();
    writer.defer(release("c"));
    writer.write(reserve("d"));
    expect(kinds()).toEqual(["release lost", "release reserve"]);
  });

  it("writes deferred events at the end of the turn, once", () => {
    const { writer, kinds, endTurn, steps } = setUp();
    writer.defer(release("a"));
    writer.defer(release("b"));
    expect(steps).toHaveLength(1);
    endTurn();
    endTurn();
    expect(kinds()).toEqual(["release release"]);
    writer.defer(release("c"));
    expect(steps).toHaveLength(1);
  });

  it("never writes a removed event", () => {
    const { writer, kinds, endTurn } = setUp();
    writer.defer(release("a"));
    writer.defer(release("b"));
    expect(writer.popPendingIf(isRelease)).toEqual(release("b"));
    endTurn();
    expect(kinds()).toEqual(["release"]);
    expect(writer.popPendingIf(isRelease)).toBeUndefined();
  });

  it("removes none unless all of them meet the predicate", () => {
    const { writer, kinds, endTurn } = setUp();
    writer.defer(lost("a"));
    writer.defer(release("b"));
    expect(writer.popPendingIf(isRelease)).toBeUndefined();
    endTurn();
    expect(kinds()).toEqual(["lost release"]);
  });

  it("records a time that no reader sees as earlier than it was", () => {
    const { writer, appends, endTurn } = setUp();
    writer.defer(release("a"));
    endTurn();
    expect(appends[0]?.[0]?.stamp).toEqual({ ...stamp(1000), uptime: 1010 });
  });
});

/** Returns the time at `at` by an uptime of whole seconds, read `since` ms before and extrapolated. */
const wholeSeconds = (at: number, since: number) =>
  stamp(Math.floor((at - since) / 1000) * 1000 + since);

it("is never early where the uptime has whole seconds", () => {
  const since = fc.integer({ min: 0, max: 100 });
  const ms = fc.integer({ min: 0, max: 6000 });
  fc.assert(
    fc.property(ms, ms, ms, since, since, (start, waitMs, later, sinceRefusal, sinceRead) => {
      const refusedAt = start + 10_000;
      const at = refusedAt + later;
      const written: LogRecord[] = [];
      const time = () => wholeSeconds(refusedAt, sinceRefusal);
      const log = {
        ...inMemoryLog(time),
        append: (...records: LogRecord[]) => void written.push(...records),
      };
      const options = { openLog: () => log, now: time, tickMs: 1000, onDegraded: () => {} };
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

function openWith(openLog: () => EventLog) {
  const reasons: string[] = [];
  const log = new ProcessLog({
    openLog,
    now,
    onDegraded: (what) => reasons.push(what),
    schedule: () => {},
  });
  return { log, reasons };
}

describe("a log that may not be shared", () => {
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
    expect(log.state.permits.size).toBe(1);
    expect(reasons).toEqual(["no home"]);
  });

  it("continues with the state so far if the shared log fails", () => {
    const shared = inMemoryLog(now);
    shared.append(record([1000, refused("x", 5000)]));
    const { log, reasons } = openWith(() => ({
      ...shared,
      append: () => {
        throw new Error("the disk is full");
      },
    }));
    log.write(reserve("a"));
    const { backoff, permits } = log.state;
    expect([backoff?.until, [...permits.keys()], reasons]).toEqual([
      6000,
      ["a"],
      ["the disk is full"],
    ]);
  });
});
