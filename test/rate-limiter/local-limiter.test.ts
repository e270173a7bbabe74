import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LocalLimiter, type LocalLimiterOptions } from "../../src/rate-limiter/local-limiter.ts";
import { type EventLog, inMemoryLog } from "../../src/rate-limiter/log/event-log.ts";
import type { LimiterEvent, Timestamp } from "../../src/rate-limiter/rules/records.ts";
import { emptyState, type LimiterState } from "../../src/rate-limiter/rules/state.ts";
import { noon } from "./support/files.ts";
import { record, refused, stamp } from "./support/records.ts";

const pid = 7;

/** Returns a limiter at noon, on a machine on which only the processes `alive` run. */
function createLimiter(
  options: Partial<LocalLimiterOptions> & { readonly alive?: readonly number[] },
) {
  const problems: string[] = [];
  const alive = options.alive ?? [pid];
  const limiter = new LocalLimiter({
    openLog: inMemoryLog,
    now: () => stamp(noon),
    machine: { pid, isAlive: (other) => alive.includes(other) },
    random: Math.random,
    onDegraded: (what) => problems.push(what),
    ...options,
  });
  return { limiter, problems };
}

/** Returns a log on `state` that fails from its n-th record on. */
const failing =
  (n: number, state: LimiterState) =>
  (now: () => Timestamp): EventLog => {
    const log = inMemoryLog(now, state);
    let written = 0;
    return {
      ...log,
      append(one) {
        written += 1;
        if (written >= n) throw new Error("the disk is full");
        log.append(one);
      },
    };
  };

/** Returns a log that begins with these events, a second before noon. */
const after =
  (...events: readonly LimiterEvent[]) =>
  (now: () => Timestamp): EventLog => {
    const log = inMemoryLog(now);
    for (const event of events) log.append(record([noon - 1000, event]));
    return log;
  };

const open = (id: string, by: number): LimiterEvent => ({
  kind: "probe",
  id,
  pid: by,
  lifeMs: 35_000,
});

describe("a limiter", () => {
  it("records a sign of life of its probe every 3 s until the response", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const kinds: string[] = [];
    const openLog = (now: () => Timestamp): EventLog => {
      const log = after(refused("x", 500))(now);
      const append: EventLog["append"] = (one) => {
        kinds.push(one.event.kind);
        log.append(one);
      };
      return { ...log, append };
    };
    const { limiter } = createLimiter({ openLog });
    const result = limiter.tryAcquire(30_000);
    vi.advanceTimersByTime(2999);
    expect(kinds).toEqual(["probe"]);
    vi.advanceTimersByTime(1);
    limiter.complete("id" in result ? result.id : "", { status: 200 });
    vi.advanceTimersByTime(60_000);
    expect(kinds).toEqual(["probe", "alive", "reply"]);
  });

  it.each([
    ["another that runs", 8, false],
    ["another that is gone", 9, true],
    ["one that is gone and had the same id as this", pid, true],
  ])("waits for the open permit of %s: %i", (_what, by, goes) => {
    const openLog = after(refused("x", 500), open("other", by));
    const { limiter } = createLimiter({ openLog, alive: [pid, 8] });
    expect(limiter.tryAcquire(30_000).go).toBe(goes);
  });

  it("looks for each dead process at most once in 100 ms", () => {
    const checked: number[] = [];
    const isAlive = (other: number): boolean => checked.push(other) > 0;
    let uptime = noon;
    const { limiter } = createLimiter({
      openLog: after(open("other", 8)),
      now: () => stamp(uptime),
      machine: { pid, isAlive },
    });
    for (const ms of [0, 50, 99, 100]) {
      uptime = noon + ms;
      limiter.peek();
    }
    expect(checked).toEqual([8, 8]);
  });

  it("waits for its own open permits until they end", () => {
    const { limiter } = createLimiter({ openLog: after(refused("x", 500)) });
    const first = limiter.tryAcquire(30_000);
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "probing" });
    limiter.cancel(first.go ? first.id : "");
    expect(limiter.tryAcquire(30_000).go).toBe(true);
  });

  it.each([1, 2, 3, 4])(
    "continues alone, by the same rules, when the log fails at record %i",
    (n) => {
      const state = emptyState();
      const { limiter, problems } = createLimiter({ openLog: failing(n, state) });
      const first = limiter.tryAcquire(30_000);
      if (first.go) limiter.complete(first.id, { status: 429, waitMs: 5000 });
      const second = limiter.tryAcquire(30_000);
      expect([first.go, second]).toEqual([
        true,
        { go: false, reason: "blocked", status: 429, ms: expect.any(Number) },
      ]);
      expect(problems).toEqual(n <= 2 ? ["the disk is full"] : []);
    },
  );
});
