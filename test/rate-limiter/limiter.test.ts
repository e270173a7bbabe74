import { describe, expect, it } from "vitest";
import { RateLimiter, type RateLimiterOptions } from "../../src/rate-limiter/limiter.ts";
import { type EventLog, inMemoryLog } from "../../src/rate-limiter/log/event-log.ts";
import type { LimiterEvent, Timestamp } from "../../src/rate-limiter/log/records.ts";
import { emptyState, type LimiterState } from "../../src/rate-limiter/state.ts";
import { noon } from "./support/files.ts";
import { record, refused, startedAt } from "./support/records.ts";

const pid = 7;

/** A gate at noon, of a machine on which only the processes `alive` run. */
function makeGate(options: Partial<RateLimiterOptions> & { readonly alive?: readonly number[] }) {
  const troubles: string[] = [];
  const alive = options.alive ?? [pid];
  const gate = new RateLimiter({
    openLog: inMemoryLog,
    clock: { now: () => startedAt + noon },
    machine: {
      pid,
      isAlive: (other) => alive.includes(other),
      uptime: () => noon,
      bootId: () => "boot",
    },
    random: Math.random,
    onDegraded: (what) => troubles.push(what),
    ...options,
  });
  return { gate, troubles };
}

/** A log on `state` that fails from its n-th record on. */
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

/** A log that begins with these events, a second before noon. */
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

describe("a gate", () => {
  it.each([
    ["another that runs", 8, false],
    ["another that is gone", 9, true],
    ["one that is gone and had the same id as this", pid, true],
  ])("is held up by the open place of %s: %i", (_what, by, goes) => {
    const openLog = after(refused("x", 500), open("other", by));
    const { gate } = makeGate({ openLog, alive: [pid, 8] });
    expect(gate.tryAcquire(30_000).go).toBe(goes);
  });

  it("is held up by its own open places, until they are given back", () => {
    const { gate } = makeGate({ openLog: after(refused("x", 500)) });
    const first = gate.tryAcquire(30_000);
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: false, reason: "probing" });
    gate.cancel(first.go ? first.id : "");
    expect(gate.tryAcquire(30_000).go).toBe(true);
  });

  it.each([1, 2, 3, 4])(
    "goes on alone, by the same rules, where the state fails at record %i",
    (n) => {
      const state = emptyState();
      const { gate, troubles } = makeGate({ openLog: failing(n, state) });
      const first = gate.tryAcquire(30_000);
      if (first.go) gate.complete(first.id, { status: 429, limits: {}, waitMs: 5000 });
      const second = gate.tryAcquire(30_000);
      expect([first.go, second]).toEqual([
        true,
        { go: false, reason: "blocked", status: 429, ms: expect.any(Number) },
      ]);
      expect(troubles).toEqual(n <= 2 ? ["the disk is full"] : []);
    },
  );

  it("is not held up by the place that it had asked for when the state failed", () => {
    const { gate, troubles } = makeGate({
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
    expect(gate.tryAcquire(30_000).go).toBe(true);
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: false, reason: "probing" });
    expect(troubles).toEqual(["the disk is full"]);
  });

  it("gives each place an id, whatever the random numbers are", () => {
    for (const number of [0, 0.5, 1 - 2 ** -53, Math.random()]) {
      const answer = makeGate({ random: () => number }).gate.tryAcquire(30_000);
      expect(answer).toEqual({ go: true, id: expect.stringMatching(/^[0-9a-z]{10}$/) });
    }
  });

  it("is alone where there is no state, and says so once", () => {
    const { gate, troubles } = makeGate({
      openLog: () => {
        throw new Error("no home");
      },
    });
    const answers = [1, 2, 3, 4, 5, 6].map(() => gate.tryAcquire(30_000));
    expect(answers.map(({ go }) => go)).toEqual([true, true, true, true, true, false]);
    expect(answers.at(-1)).toMatchObject({ reason: "learning" });
    expect(troubles).toEqual(["no home"]);
  });
});

/** A log that notes the kinds of the records of each write. */
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

/** The place that a gate gives. */
function placeAt(gate: RateLimiter): string {
  const answer = gate.tryAcquire(30_000);
  if (!answer.go) throw new Error(`held: ${answer.reason}`);
  return answer.id;
}

describe("a reply that comes while other requests are on their way", () => {
  const five = { limit: 5, remaining: 4, reset: 1e12, endsIn: 60_000 };

  it("is written with the next place that is asked for, before it", () => {
    const writes: string[] = [];
    const { gate } = makeGate({ openLog: noting(writes) });
    const first = placeAt(gate);
    placeAt(gate);
    gate.complete(first, { status: 201, limits: five });
    placeAt(gate);
    expect(writes).toEqual(["reserve", "reserve", "reply reserve"]);
  });

  it("is written within the turn where no place is asked for", async () => {
    const writes: string[] = [];
    const { gate } = makeGate({ openLog: noting(writes) });
    const first = placeAt(gate);
    placeAt(gate);
    gate.complete(first, { status: 201, limits: five });
    await new Promise(setImmediate);
    expect(writes).toEqual(["reserve", "reserve", "reply"]);
  });

  it("counts for whoever asks, and for the view", () => {
    const { gate } = makeGate({});
    const places = Array.from({ length: 5 }, () => placeAt(gate));
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: false, reason: "learning" });
    gate.complete(places[0] ?? "", { status: 201, limits: five });
    expect(gate.status()).toMatchObject({ limit: 5, remaining: 4 });
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: false, reason: "used_up" });
    gate.complete(places[1] ?? "", {
      status: 201,
      limits: { ...five, remaining: 100, limit: 200 },
    });
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: true });
  });

  it("lets those who wait for what it tells go on", () => {
    const { gate } = makeGate({});
    const places = Array.from({ length: 5 }, () => placeAt(gate));
    gate.complete(places[0] ?? "", { status: 201, limits: { ...five, limit: 60, remaining: 59 } });
    expect(gate.tryAcquire(30_000).go).toBe(true);
  });

  it.each([
    ["is the last of them", 201, undefined],
    ["asks for a wait", 429, 5000],
  ])("is written at once where it %s", (_what, status, waitMs) => {
    const writes: string[] = [];
    const { gate } = makeGate({ openLog: noting(writes) });
    const first = placeAt(gate);
    if (waitMs !== undefined) placeAt(gate);
    gate.complete(first, { status, limits: five, ...(waitMs !== undefined && { waitMs }) });
    expect(writes.at(-1)).toBe("reply");
  });

  it("is not lost where the log fails with it", () => {
    const { gate, troubles } = makeGate({ openLog: failing(3, emptyState()) });
    const first = placeAt(gate);
    placeAt(gate);
    gate.complete(first, { status: 201, limits: { ...five, remaining: 1 } });
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: false, reason: "used_up" });
    expect(troubles).toEqual(["the disk is full"]);
    expect(gate.status()).toMatchObject({ remaining: 1 });
  });
});

describe("where the service tells of requests in plenty", () => {
  const much = { limit: 2_147_483_647, remaining: 2_147_483_646, reset: 1e12, endsIn: 60_000 };
  const few = { limit: 60, remaining: 59, reset: 1e12, endsIn: 60_000 };

  /** A gate that was told so, with as many requests on their way, and what it writes from then on. */
  function richGate(count: number) {
    const writes: string[] = [];
    const steps: (() => void)[] = [];
    let uptime = noon;
    let log: EventLog | undefined;
    const { gate } = makeGate({
      openLog: (now) => (log = noting(writes)(now)),
      machine: { pid, isAlive: () => true, uptime: () => uptime, bootId: () => "boot" },
      schedule: (step) => steps.push(step),
    });
    gate.complete(placeAt(gate), { status: 201, limits: much });
    const places = Array.from({ length: count }, () => placeAt(gate));
    writes.length = 0;
    const endTurn = (): void => steps.splice(0).forEach((step) => step());
    const other = (event: LimiterEvent) => log?.append(record([uptime, event]));
    const ahead = () => [...(log?.state.permits.keys() ?? [])];
    return { gate, places, writes, endTurn, other, ahead, later: (ms: number) => (uptime += ms) };
  }

  it("a reply that waits to be written is not taken for one that is gone", () => {
    const { gate, places, writes, later } = richGate(2);
    const [first = ""] = places;
    later(1020);
    gate.complete(first, { status: 201, limits: much });
    gate.peek();
    expect(writes).toEqual(["reply"]);
  });

  it("one request has the place of another that ended, and nothing is written of either", () => {
    const { gate, places, writes, endTurn, ahead } = richGate(64);
    for (const id of places.slice(0, 10)) {
      gate.complete(id, { status: 201, limits: much });
      expect(placeAt(gate)).toBe(id);
      expect(gate.revalidate(id)).toBe(true);
      endTurn();
    }
    expect(writes).toEqual([]);
    expect(ahead()).toEqual(places);
  });

  it("so it is with requests one after the other, but for the first", () => {
    const { gate, places, writes } = richGate(1);
    for (const id of places) {
      gate.complete(id, { status: 201, limits: much });
      expect(placeAt(gate)).toBe(id);
    }
    expect(writes).toEqual([]);
  });

  it("what is news is written at once where no other is on its way: the process may end", () => {
    const { gate, places, writes } = richGate(1);
    const [first = ""] = places;
    gate.complete(first, { status: 201, limits: much });
    gate.complete(placeAt(gate), { status: 201, limits: few });
    expect(writes).toEqual(["reply"]);
  });

  it("a place that no request takes over is given back with the turn", () => {
    const { gate, places, writes, endTurn, ahead } = richGate(3);
    for (const id of places.slice(0, 2)) gate.complete(id, { status: 201, limits: much });
    endTurn();
    expect(writes).toEqual(["reply reply"]);
    expect(ahead()).toEqual(places.slice(2));
  });

  it("what a reply tells is written again a second later", () => {
    const { gate, places, writes, later } = richGate(2);
    const [first = ""] = places;
    later(1020);
    gate.peek();
    gate.complete(first, { status: 201, limits: much });
    expect(placeAt(gate)).not.toBe(first);
    expect(writes).toEqual(["reply reserve"]);
  });

  it("all on their way count as soon as a reply tells of fewer", () => {
    const { gate, places, writes } = richGate(20);
    const [first = "", second = "", third = ""] = places;
    gate.complete(first, { status: 201, limits: much });
    placeAt(gate);
    gate.complete(second, { status: 201, limits: { ...few, remaining: 20 } });
    gate.complete(third, { status: 201, limits: much });
    placeAt(gate);
    expect(gate.tryAcquire(30_000).go).toBe(true);
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: false, reason: "used_up" });
    expect(writes[0]).toBe("reply reply reserve");
  });

  it("one that has the place of another is kept back where there is none any more", () => {
    const { gate, places, other } = richGate(2);
    const [first = ""] = places;
    gate.complete(first, { status: 201, limits: much });
    placeAt(gate);
    other({ kind: "limits", limits: few });
    expect(gate.revalidate(first)).toBe(false);
    gate.cancel(first);
    const next = placeAt(gate);
    expect(gate.revalidate(next)).toBe(true);
  });

  it("one that is lost counts as sent", () => {
    const { gate, places, writes } = richGate(2);
    const [first = ""] = places;
    gate.complete(first, { status: 201, limits: much });
    gate.markLost(placeAt(gate));
    expect(writes).toEqual(["lost"]);
  });

  it("a refusal is written, closes the gate once for all on their way, and counts as one strike", () => {
    const { gate, places, writes } = richGate(4);
    const [first = "", second = "", third = ""] = places;
    gate.complete(third, { status: 201, limits: much });
    placeAt(gate);
    gate.complete(first, { status: 429, limits: much, waitMs: 5000 });
    expect(gate.revalidate(third)).toBe(false);
    gate.cancel(third);
    gate.complete(second, { status: 201, limits: much });
    expect(gate.consecutiveRefusals).toBe(1);
    expect(writes).toEqual(["reply", "release", "reply"]);
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: false, reason: "blocked" });
  });

  it("none that has the place of another is the one that tries again after a wait", () => {
    const { gate, places, writes, other, later } = richGate(2);
    const [first = ""] = places;
    gate.complete(first, { status: 201, limits: much });
    placeAt(gate);
    other(refused("x", 500));
    later(600);
    expect(gate.revalidate(first)).toBe(false);
    gate.cancel(first);
    writes.length = 0;
    placeAt(gate);
    expect(writes).toEqual(["probe"]);
    expect(gate.tryAcquire(30_000)).toMatchObject({ go: false, reason: "probing" });
  });
});
