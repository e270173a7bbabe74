import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LocalLimiter, type LocalLimiterOptions } from "../../src/rate-limiter/local-limiter.ts";
import { type EventLog, inMemoryLog } from "../../src/rate-limiter/log/event-log.ts";
import type { LimiterEvent, LogRecord, Timestamp } from "../../src/rate-limiter/rules/records.ts";
import { applyRecord } from "../../src/rate-limiter/rules/reducer.ts";
import { emptyState } from "../../src/rate-limiter/rules/state.ts";
import { noon } from "./support/files.ts";
import { ok, probe, record, refused, stamp, unavailable } from "./support/records.ts";

const pid = 7;

/** A machine on which only this process runs. */
const here = { pid, isAlive: (other: number) => other === pid, tickMs: 10 };

/** Returns a limiter at noon. */
function createLimiter(options: Partial<LocalLimiterOptions>) {
  const problems: string[] = [];
  const limiter = new LocalLimiter({
    logs: [inMemoryLog],
    now: () => stamp(noon),
    machine: here,
    random: Math.random,
    onMoved: (what) => problems.push(what),
    ...options,
  });
  return { limiter, problems };
}

/** Returns a log that fails from its n-th record on. */
const failing =
  (n: number) =>
  (now: () => Timestamp): EventLog => {
    const log = inMemoryLog(now);
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

/** Returns the time at `at` by an uptime of whole seconds, read `since` ms before and extrapolated. */
const wholeSeconds = (at: number, since: number) =>
  stamp(Math.floor((at - since) / 1000) * 1000 + since);

/** Returns what a limiter records of a refusal, at the time of `options`. */
function recorded(waitMs: number, options: Partial<LocalLimiterOptions>): readonly LogRecord[] {
  const written: LogRecord[] = [];
  const append: EventLog["append"] = (one) => void written.push(one);
  const openLog = (now: () => Timestamp) => ({ ...inMemoryLog(now), append });
  createLimiter({ ...options, logs: [openLog] }).limiter.complete("a", { status: 429, waitMs });
  return written;
}

const elsewhere = () => ({ ...inMemoryLog(() => stamp(noon)), folder: "/tmp/pets-7" });

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
    const { limiter } = createLimiter({ logs: [openLog] });
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
    const openLog = after(refused("x", 500), probe("other", by));
    const machine = { ...here, isAlive: (other: number) => [pid, 8].includes(other) };
    const { limiter } = createLimiter({ logs: [openLog], machine });
    expect(limiter.tryAcquire(30_000).go).toBe(goes);
  });

  it("looks for each dead process at most once in 100 ms", () => {
    const checked: number[] = [];
    const isAlive = (other: number): boolean => checked.push(other) > 0;
    let uptime = noon;
    const { limiter } = createLimiter({
      logs: [after(probe("other", 8))],
      now: () => stamp(uptime),
      machine: { ...here, isAlive },
    });
    for (const ms of [0, 50, 99, 100]) {
      uptime = noon + ms;
      limiter.peek();
    }
    expect(checked).toEqual([8, 8]);
  });

  it("waits for its own open permits until they end", () => {
    const { limiter } = createLimiter({ logs: [after(refused("x", 500))] });
    const first = limiter.tryAcquire(30_000);
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "probing" });
    limiter.end(first.go ? first.id : "", "release");
    expect(limiter.tryAcquire(30_000).go).toBe(true);
  });

  it.each<[string, readonly LimiterEvent[], boolean, boolean]>([
    ["during the wait of a 503", [], true, true],
    ["after another 503", [unavailable("x", 9000)], true, false],
    ["after a 429", [refused("x", 5000)], true, false],
    ["once another has succeeded", [probe("other", 8), ok("other", 5)], true, true],
    ["during the wait of a 503, of any other request", [], false, false],
  ])("lets a request be sent %s", (_name, meanwhile, despite503, isSent) => {
    let log = inMemoryLog(() => stamp(noon));
    const openLog = (now: () => Timestamp) => (log = after(unavailable("x", 60_000))(now));
    const { limiter } = createLimiter({ logs: [openLog] });
    const result = limiter.tryAcquire(30_000, despite503);
    for (const event of meanwhile) log.append(record([noon, event]));
    expect(result.go && limiter.revalidate(result.id)).toBe(isSent);
  });

  it.each([
    ["the 200 of such a request", 200, true],
    ["its 401, which the service was there to send", 401, true],
    ["its 429", 429, false],
    ["its 503", 503, false],
  ])("ends the wait of a 503 with %s", (_name, status, ends) => {
    const { limiter } = createLimiter({ logs: [after(unavailable("x", 60_000))] });
    const result = limiter.tryAcquire(30_000, true);
    const waitMs = ends ? undefined : 1000;
    limiter.complete(result.go ? result.id : "", { status, waitMs });
    expect(limiter.tryAcquire(30_000).go).toBe(ends);
    expect(limiter.tryAcquire(30_000, true).go).toBe(status !== 429);
  });

  it.each([1, 2, 3, 4])(
    "continues alone, by the same rules, when the log fails at record %i",
    (n) => {
      const { limiter, problems } = createLimiter({ logs: [failing(n)] });
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

  it("continues alone if the log can't be opened, which it tries once, on first use", () => {
    const openLog = vi.fn<() => EventLog>(() => {
      throw new Error("no home");
    });
    const { limiter, problems } = createLimiter({ logs: [openLog] });
    expect(openLog).not.toHaveBeenCalled();
    limiter.complete("a", { status: 429, waitMs: 5000 });
    expect(limiter.tryAcquire(30_000)).toMatchObject({ reason: "blocked" });
    expect([openLog.mock.calls.length, problems]).toEqual([1, ["no home"]]);
  });

  it("moves to the next log, with what it knows, and says where", () => {
    const moves: unknown[] = [];
    const onMoved = (...move: unknown[]): void => void moves.push(move);
    const { limiter } = createLimiter({ logs: [failing(2), elsewhere], onMoved });
    const first = limiter.tryAcquire(30_000);
    expect(limiter.status().movedTo).toBeUndefined();
    limiter.complete("x", { status: 429, waitMs: 5000 });
    expect(limiter.tryAcquire(30_000)).toMatchObject({ reason: "blocked" });
    expect(first.go && limiter.revalidate(first.id)).toBe(false);
    expect(limiter.status().movedTo).toBe("/tmp/pets-7");
    expect(moves).toEqual([["the disk is full", "/tmp/pets-7"]]);
  });

  it("records a time that no reader sees as earlier than it was", () => {
    expect(recorded(1, {})).toMatchObject([{ stamp: { ...stamp(noon), uptime: noon + 10 } }]);
  });

  it("is never early where the uptime has whole seconds", () => {
    const since = fc.integer({ min: 0, max: 100 });
    const ms = fc.integer({ min: 0, max: 6000 });
    fc.assert(
      fc.property(ms, ms, ms, since, since, (start, waitMs, later, sinceRefusal, sinceRead) => {
        const refusedAt = start + 10_000;
        const at = refusedAt + later;
        const now = () => wholeSeconds(refusedAt, sinceRefusal);
        const reader = wholeSeconds(at, sinceRead);
        const state = emptyState();
        for (const each of recorded(waitMs, { now, machine: { ...here, tickMs: 1000 } }))
          applyRecord(state, each, reader);
        expect(state.backoff).toBeDefined();
        const isOver = reader.uptime >= (state.backoff?.until ?? 0);
        expect(isOver && at < refusedAt + waitMs).toBe(false);
      }),
    );
  });
});
