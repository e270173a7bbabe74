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
  const troubles: string[] = [];
  const alive = options.alive ?? [pid];
  const limiter = new LocalLimiter({
    openLog: inMemoryLog,
    now: () => stamp(noon),
    machine: { pid, isAlive: (other) => alive.includes(other) },
    random: Math.random,
    onDegraded: (what) => troubles.push(what),
    ...options,
  });
  return { limiter, troubles };
}

/** Returns a log on `state` that fails from its n-th record on. */
const failing =
  (n: number, state: LimiterState) =>
  (now: () => Timestamp): EventLog => {
    const log = inMemoryLog(now, state);
    let written = 0;
    return {
      ...log,
      append(...records) {
        written += 1;
        if (written >= n) throw new Error("the disk is full");
        log.append(...records);
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
      const append: EventLog["append"] = (...records) => {
        kinds.push(...records.map(({ event }) => event.kind));
        log.append(...records);
      };
      return { ...log, append };
    };
    const { limiter } = createLimiter({ openLog });
    const result = limiter.tryAcquire(30_000);
    vi.advanceTimersByTime(2999);
    expect(kinds).toEqual(["probe"]);
    vi.advanceTimersByTime(1);
    limiter.complete("id" in result ? result.id : "", { status: 200, limits: {} });
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
      const { limiter, troubles } = createLimiter({ openLog: failing(n, state) });
      const first = limiter.tryAcquire(30_000);
      if (first.go) limiter.complete(first.id, { status: 429, limits: {}, waitMs: 5000 });
      const second = limiter.tryAcquire(30_000);
      expect([first.go, second]).toEqual([
        true,
        { go: false, reason: "blocked", status: 429, ms: expect.any(Number) },
      ]);
      expect(troubles).toEqual(n <= 2 ? ["the disk is full"] : []);
    },
  );

  it("does not wait for the permit that it had requested when the log failed", () => {
    const { limiter, troubles } = createLimiter({
      openLog: (now) => {
        const log = after(refused("x", 500))(now);
        return {
          ...log,
          append(one) {
            log.append(one);
            throw new Error("the disk is full");
          },
        };
      },
    });
    expect(limiter.tryAcquire(30_000).go).toBe(true);
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "probing" });
    expect(troubles).toEqual(["the disk is full"]);
  });

  it("gives each permit an id, whatever the random numbers are", () => {
    for (const number of [0, 0.5, 1 - 2 ** -53, Math.random()]) {
      const answer = createLimiter({ random: () => number }).limiter.tryAcquire(30_000);
      expect(answer).toEqual({ go: true, id: expect.stringMatching(/^[0-9a-z]{10}$/) });
    }
  });

  it("works alone without a log, and reports that once", () => {
    const { limiter, troubles } = createLimiter({
      openLog: () => {
        throw new Error("no home");
      },
    });
    const answers = [1, 2, 3, 4, 5, 6].map(() => limiter.tryAcquire(30_000));
    expect(answers.map(({ go }) => go)).toEqual([true, true, true, true, true, false]);
    expect(answers.at(-1)).toMatchObject({ reason: "learning" });
    expect(troubles).toEqual(["no home"]);
  });
});

/** Returns a log that records the kinds of the records of each write. */
const noting =
  (writes: string[]) =>
  (now: () => Timestamp): EventLog => {
    const log = inMemoryLog(now);
    return {
      ...log,
      append(...records) {
        writes.push(records.map(({ event }) => event.kind).join(" "));
        log.append(...records);
      },
    };
  };

/** Acquires a permit that is free, and returns its id. */
function permitAt(limiter: LocalLimiter): string {
  const answer = limiter.tryAcquire(30_000);
  if (!answer.go) throw new Error(`held: ${answer.reason}`);
  return answer.id;
}

describe("a reply that arrives while other requests are in flight", () => {
  const five = { limit: 5, remaining: 4, reset: 1e12, endsIn: 60_000 };

  it("is written with the next permit, before it", () => {
    const writes: string[] = [];
    const { limiter } = createLimiter({ openLog: noting(writes) });
    const first = permitAt(limiter);
    permitAt(limiter);
    limiter.complete(first, { status: 201, limits: five });
    permitAt(limiter);
    expect(writes).toEqual(["reserve", "reserve", "reply reserve"]);
  });

  it("is written at the end of the turn if no permit is requested", async () => {
    const writes: string[] = [];
    const { limiter } = createLimiter({ openLog: noting(writes) });
    const first = permitAt(limiter);
    permitAt(limiter);
    limiter.complete(first, { status: 201, limits: five });
    await new Promise(setImmediate);
    expect(writes).toEqual(["reserve", "reserve", "reply"]);
  });

  it("counts for every request, and for the status", () => {
    const { limiter } = createLimiter({});
    const permits = Array.from({ length: 5 }, () => permitAt(limiter));
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "learning" });
    limiter.complete(permits[0] ?? "", { status: 201, limits: five });
    expect(limiter.status()).toMatchObject({ limit: 5, remaining: 4 });
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "used_up" });
    limiter.complete(permits[1] ?? "", {
      status: 201,
      limits: { ...five, remaining: 100, limit: 200 },
    });
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: true });
  });

  it("ends the wait of requests that wait for the limits", () => {
    const { limiter } = createLimiter({});
    const permits = Array.from({ length: 5 }, () => permitAt(limiter));
    limiter.complete(permits[0] ?? "", {
      status: 201,
      limits: { ...five, limit: 60, remaining: 59 },
    });
    expect(limiter.tryAcquire(30_000).go).toBe(true);
  });

  it.each([
    ["is the last of them", 201, undefined],
    ["asks for a wait", 429, 5000],
  ])("is written at once if it %s", (_what, status, waitMs) => {
    const writes: string[] = [];
    const { limiter } = createLimiter({ openLog: noting(writes) });
    const first = permitAt(limiter);
    if (waitMs !== undefined) permitAt(limiter);
    limiter.complete(first, { status, limits: five, ...(waitMs !== undefined && { waitMs }) });
    expect(writes.at(-1)).toBe("reply");
  });

  it("is not lost if the log fails with it", () => {
    const { limiter, troubles } = createLimiter({ openLog: failing(3, emptyState()) });
    const first = permitAt(limiter);
    permitAt(limiter);
    limiter.complete(first, { status: 201, limits: { ...five, remaining: 1 } });
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "used_up" });
    expect(troubles).toEqual(["the disk is full"]);
    expect(limiter.status()).toMatchObject({ remaining: 1 });
  });
});

describe("with a service that is effectively unlimited", () => {
  const much = { limit: 2_147_483_647, remaining: 2_147_483_646, reset: 1e12, endsIn: 60_000 };
  const few = { limit: 60, remaining: 59, reset: 1e12, endsIn: 60_000 };

  /** Returns a limiter that knows this, with this many requests in flight, and what it writes from then on. */
  function unlimitedLimiter(count: number) {
    const writes: string[] = [];
    const steps: (() => void)[] = [];
    let uptime = noon;
    let log: EventLog | undefined;
    const { limiter } = createLimiter({
      openLog: (now) => (log = noting(writes)(now)),
      now: () => stamp(uptime),
      machine: { pid, isAlive: () => true },
      schedule: (step) => steps.push(step),
    });
    limiter.complete(permitAt(limiter), { status: 201, limits: much });
    const permits = Array.from({ length: count }, () => permitAt(limiter));
    writes.length = 0;
    const endTurn = (): void => steps.splice(0).forEach((step) => step());
    const other = (event: LimiterEvent) => log?.append(record([uptime, event]));
    const ahead = () => [...(log?.state.permits.keys() ?? [])];
    return {
      limiter,
      permits,
      writes,
      endTurn,
      other,
      ahead,
      later: (ms: number) => (uptime += ms),
    };
  }

  it("does not treat a deferred reply as lost", () => {
    const { limiter, permits, writes, later } = unlimitedLimiter(2);
    const [first = ""] = permits;
    later(1020);
    limiter.complete(first, { status: 201, limits: much });
    limiter.peek();
    expect(writes).toEqual(["reply"]);
  });

  it("lets a request reuse the permit of one that ended, and writes nothing for either", () => {
    const { limiter, permits, writes, endTurn, ahead } = unlimitedLimiter(64);
    for (const id of permits.slice(0, 10)) {
      limiter.complete(id, { status: 201, limits: much });
      expect(permitAt(limiter)).toBe(id);
      expect(limiter.revalidate(id)).toBe(true);
      endTurn();
    }
    expect(writes).toEqual([]);
    expect(ahead()).toEqual(permits);
  });

  it("does so for sequential requests too, except the first", () => {
    const { limiter, permits, writes } = unlimitedLimiter(1);
    for (const id of permits) {
      limiter.complete(id, { status: 201, limits: much });
      expect(permitAt(limiter)).toBe(id);
    }
    expect(writes).toEqual([]);
  });

  it("writes news at once if no other request is in flight, as the process may end", () => {
    const { limiter, permits, writes } = unlimitedLimiter(1);
    const [first = ""] = permits;
    limiter.complete(first, { status: 201, limits: much });
    limiter.complete(permitAt(limiter), { status: 201, limits: few });
    expect(writes).toEqual(["reply"]);
  });

  it("ends a permit that no request reuses at the end of the turn", () => {
    const { limiter, permits, writes, endTurn, ahead } = unlimitedLimiter(3);
    for (const id of permits.slice(0, 2)) limiter.complete(id, { status: 201, limits: much });
    endTurn();
    expect(writes).toEqual(["reply reply"]);
    expect(ahead()).toEqual(permits.slice(2));
  });

  it("writes a reply again a second later", () => {
    const { limiter, permits, writes, later } = unlimitedLimiter(2);
    const [first = ""] = permits;
    later(1020);
    limiter.peek();
    limiter.complete(first, { status: 201, limits: much });
    expect(permitAt(limiter)).not.toBe(first);
    expect(writes).toEqual(["reply reserve"]);
  });

  it("counts all requests in flight as soon as a reply announces fewer", () => {
    const { limiter, permits, writes } = unlimitedLimiter(20);
    const [first = "", second = "", third = ""] = permits;
    limiter.complete(first, { status: 201, limits: much });
    permitAt(limiter);
    limiter.complete(second, { status: 201, limits: { ...few, remaining: 20 } });
    limiter.complete(third, { status: 201, limits: much });
    permitAt(limiter);
    expect(limiter.tryAcquire(30_000).go).toBe(true);
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "used_up" });
    expect(writes[0]).toBe("reply reply reserve");
  });

  it("defers a request with a reused permit once none is left", () => {
    const { limiter, permits, other } = unlimitedLimiter(2);
    const [first = ""] = permits;
    limiter.complete(first, { status: 201, limits: much });
    permitAt(limiter);
    other({ kind: "limits", limits: few });
    expect(limiter.revalidate(first)).toBe(false);
    limiter.cancel(first);
    const next = permitAt(limiter);
    expect(limiter.revalidate(next)).toBe(true);
  });

  it("counts a lost request as sent", () => {
    const { limiter, permits, writes } = unlimitedLimiter(2);
    const [first = ""] = permits;
    limiter.complete(first, { status: 201, limits: much });
    limiter.markLost(permitAt(limiter));
    expect(writes).toEqual(["lost"]);
  });

  it("writes a refusal, which starts one back-off for all in flight and counts as one strike", () => {
    const { limiter, permits, writes } = unlimitedLimiter(4);
    const [first = "", second = "", third = ""] = permits;
    limiter.complete(third, { status: 201, limits: much });
    permitAt(limiter);
    limiter.complete(first, { status: 429, limits: much, waitMs: 5000 });
    expect(limiter.revalidate(third)).toBe(false);
    limiter.cancel(third);
    limiter.complete(second, { status: 201, limits: much });
    expect(limiter.consecutiveRefusals).toBe(1);
    expect(writes).toEqual(["reply", "release", "reply"]);
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "blocked" });
  });

  it("never makes a request with a reused permit the probe", () => {
    const { limiter, permits, writes, other, later } = unlimitedLimiter(2);
    const [first = ""] = permits;
    limiter.complete(first, { status: 201, limits: much });
    permitAt(limiter);
    other(refused("x", 500));
    later(600);
    expect(limiter.revalidate(first)).toBe(false);
    limiter.cancel(first);
    writes.length = 0;
    permitAt(limiter);
    expect(writes).toEqual(["probe"]);
    expect(limiter.tryAcquire(30_000)).toMatchObject({ go: false, reason: "probing" });
  });
});
