import { describe, expect, it } from "vitest";
import { LogEvaluator } from "../../src/rate-limiter/evaluator.ts";
import { type EventLog, inMemoryLog } from "../../src/rate-limiter/log/event-log.ts";
import { ProcessLog } from "../../src/rate-limiter/process-log.ts";
import type { LimiterEvent } from "../../src/rate-limiter/rules/records.ts";
import { ok, record, refused, stamp, type Timed } from "./support/records.ts";

const pid = 7;
const permitOf = (id: string, by: number, kind: "reserve" | "probe" = "reserve"): LimiterEvent => ({
  kind,
  id,
  pid: by,
  lifeMs: 35_000,
});

/** Returns an evaluator of a log with these events, on a machine where only `alive` run; the permit `own` is its own. */
function setUp(events: readonly Timed[], alive: readonly number[] = [pid]) {
  const time = { ms: 1000 };
  const now = () => stamp(time.ms);
  const unread: LimiterEvent[] = [];
  const looks: number[] = [];
  const inner = inMemoryLog(now);
  for (const event of events) inner.append(record(event));
  const log: EventLog = {
    ...inner,
    refresh: () => {
      for (const event of unread.splice(0)) inner.append(record([time.ms, event]));
    },
  };
  const openLog = () => log;
  const writer = new ProcessLog({ openLog, now, onDegraded: () => {}, schedule: () => {} });
  const isAlive = (other: number): boolean => {
    looks.push(other);
    return alive.includes(other);
  };
  const evaluator = new LogEvaluator({
    machine: { pid, isAlive },
    now,
    log: writer,
    isOwn: (id) => id === "own",
    onSwept: (id) => writer.write({ kind: "lost", id }),
  });
  return { evaluator, log, writer, time, unread, looks };
}

const backoffOver: readonly Timed[] = [[0, refused("x", 500)]];

describe("the sweep of dead processes", () => {
  it.each([
    ["a process that runs", "a", 8, false],
    ["a process that is gone", "a", 9, true],
    ["this process", "own", pid, false],
    ["a process that is gone and had the same id as this one", "a", pid, true],
  ])("of the permit of %s: %s", (_what, id, by, goes) => {
    const { evaluator, log } = setUp([...backoffOver, [900, permitOf(id, by, "probe")]], [pid, 8]);
    expect(evaluator.decideCached().go).toBe(goes);
    expect(log.state.uncounted.count).toBe(goes ? 1 : 0);
  });

  it("checks each process at most once in 100 ms", () => {
    const { evaluator, time, looks } = setUp([[900, permitOf("a", 8)]], [8]);
    for (const ms of [1000, 1050, 1099, 1100]) {
      time.ms = ms;
      evaluator.decideCached();
    }
    expect(looks).toEqual([8, 8]);
  });
});

describe("a decision", () => {
  it("reads what others have written only if a fresh one is requested", () => {
    const { evaluator, unread } = setUp([]);
    unread.push(refused("x", 5000));
    expect(evaluator.decideCached()).toEqual({ go: true, probe: false });
    expect(evaluator.decideFresh()).toMatchObject({ go: false, reason: "blocked" });
  });

  it("includes what this process has deferred", () => {
    const { evaluator, writer } = setUp([[900, permitOf("own", pid)]]);
    writer.defer({ ...ok("own", 0), id: "own" });
    expect(evaluator.decideFresh()).toMatchObject({ go: false, reason: "used_up" });
  });

  it("expires permits", () => {
    const { evaluator, log, time } = setUp([[900, permitOf("a", 8)]], [8]);
    time.ms = 40_000;
    evaluator.sync();
    expect([log.state.permits.size, log.state.uncounted.count]).toEqual([0, 1]);
  });
});

describe("recheckPermit", () => {
  it.each<[string, readonly Timed[], object]>([
    ["the first probe", [[900, permitOf("own", pid, "probe")]], { go: true, probe: true }],
    [
      "a probe behind another",
      [
        [800, permitOf("a", 8, "probe")],
        [900, permitOf("own", pid, "probe")],
      ],
      { go: false, reason: "probing" },
    ],
    ["a permit that is not a probe", [[900, permitOf("own", pid)]], { reason: "probing", ms: 0 }],
    ["a permit that another process has swept", [], { go: true, probe: true }],
  ])("%s after a back-off", (_name, events, expected) => {
    const { evaluator } = setUp([...backoffOver, ...events], [8]);
    expect(evaluator.recheckPermit("own")).toMatchObject(expected);
  });
});

describe("isUnlimitedNow", () => {
  const much: LimiterEvent = {
    ...ok("a"),
    limits: { limit: 1e9, remaining: 1e8, reset: 1e12, endsIn: 60_000 },
  };

  it.each<[string, readonly Timed[], boolean]>([
    ["unknown limits", [], false],
    ["a huge limit", [[500, much]], true],
    [
      "a huge limit within a back-off",
      [
        [500, much],
        [600, refused("x", 5000)],
      ],
      false,
    ],
    ["a huge limit after a back-off, before the probe", [...backoffOver, [600, much]], false],
  ])("%s: %s", (_name, events, expected) => {
    const { evaluator } = setUp(events);
    expect(evaluator.isUnlimitedNow()).toBe(expected);
  });
});
