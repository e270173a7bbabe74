import { describe, expect, it } from "vitest";
import { type EventLog, inMemoryLog } from "../../src/rate-limiter/log/event-log.ts";
import { ProcessLog } from "../../src/rate-limiter/process-log.ts";
import type { LogRecord } from "../../src/rate-limiter/rules/records.ts";
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
    writer.useFlushed(() => {});
    writer.defer(release("c"));
    writer.useFlushed((log) => writer.write(log, reserve("d")));
    expect(kinds()).toEqual(["release lost", "release", "reserve"]);
  });

  it("appends deferred events and the next one in one write", () => {
    const { writer, kinds } = setUp();
    let open: Parameters<typeof writer.write>[0] | undefined;
    writer.useFlushed((log) => (open = log));
    writer.defer(release("a"));
    if (open !== undefined) writer.write(open, reserve("b"));
    expect(kinds()).toEqual(["release reserve"]);
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
    expect(writer.popPending()).toEqual(release("b"));
    endTurn();
    expect(kinds()).toEqual(["release"]);
    expect(writer.popPending()).toBeUndefined();
  });

  it("knows whether all deferred events meet a predicate", () => {
    const { writer } = setUp();
    expect(writer.everyPending(isRelease)).toBe(false);
    writer.defer(release("a"));
    expect(writer.everyPending(isRelease)).toBe(true);
    writer.defer(lost("b"));
    expect(writer.everyPending(isRelease)).toBe(false);
  });

  it("records a time that no reader sees as earlier than it was", () => {
    const { writer, appends, endTurn } = setUp();
    writer.defer(release("a"));
    endTurn();
    expect(appends[0]?.[0]?.stamp).toEqual({ ...stamp(1000), uptime: 1010 });
  });
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
    expect([log.use(() => 1), log.use(() => 2), opened, reasons]).toEqual([1, 2, 1, []]);
  });

  it("falls back to this process alone if the shared log can't be opened, and reports that once", () => {
    const { log, reasons } = openWith(() => {
      throw new Error("no home");
    });
    log.use((own) => own.append(record([1000, reserve("a")])));
    expect(log.use((own) => own.state.permits.size)).toBe(1);
    expect(reasons).toEqual(["no home"]);
  });

  it("runs a step again with the state so far if the shared log fails in it", () => {
    const shared = inMemoryLog(now);
    shared.append(record([1000, refused("x", 5000)]));
    const { log, reasons } = openWith(() => ({
      ...shared,
      append: () => {
        throw new Error("the disk is full");
      },
    }));
    log.use((own) => own.append(record([1000, reserve("a")])));
    const { backoff, permits } = log.use((own) => own.state);
    expect([backoff?.until, [...permits.keys()], reasons]).toEqual([
      6000,
      ["a"],
      ["the disk is full"],
    ]);
  });
});
