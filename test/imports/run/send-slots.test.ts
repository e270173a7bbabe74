import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SendSlot, SendSlots } from "../../../src/imports/run/send-slots.ts";
import { fakeClock } from "../../support/command/terminal.ts";
import { turn } from "../support/run.ts";

const never = new AbortController().signal;

function slotsWith(wait?: () => Promise<void>) {
  const clock = fakeClock();
  const slots = new SendSlots({
    clock,
    random: () => 0,
    wait: wait ?? ((ms) => clock.sleep(ms, never)),
    isBackoffAnnounced: () => false,
  });
  return { clock, slots };
}

describe("SendSlots", () => {
  it("are given at once while nothing is wrong", async () => {
    const { slots, clock } = slotsWith();
    for (let i = 0; i < 10; i += 1) await slots.next();
    expect(clock.sleeps).toEqual([]);
  });

  it("wait after a failure, and are given one by one in the order of the requests", async () => {
    const { slots, clock } = slotsWith();
    slots.end(await slots.next(), true);
    const given: number[] = [];
    const [first, second, third] = [1, 2, 3].map(async (number) => {
      const begun = await slots.next();
      given.push(number);
      slots.leave(begun);
      return begun;
    });
    const begun = (await first) ?? { outage: 0 };
    await turn();
    expect(given).toEqual([1]);
    expect(clock.monotonic()).toBe(500);
    slots.end(begun, false);
    await Promise.all([second, third]);
    expect(given).toEqual([1, 2, 3]);
    expect(clock.sleeps).toEqual([500, 50]);
  });

  it("are refused once waiting is no longer possible", async () => {
    const { slots } = slotsWith(() => Promise.reject(new Error("stopped")));
    slots.end(await slots.next(), true);
    await expect(slots.next()).rejects.toThrow("stopped");
    await expect(slots.next()).rejects.toThrow("stopped");
  });
});

/** Returns slots with a clock that only `at` moves, and their steps at a time. */
function timedSlots(random: number, intervalMs = 0) {
  let [now, isAnnounced] = [0, false];
  const slots = new SendSlots({
    clock: { monotonic: () => now },
    random: () => random,
    intervalMs,
    wait: () => Promise.reject(new Error("nobody waits here")),
    isBackoffAnnounced: () => isAnnounced,
  });
  const at = (ms: number): SendSlots => {
    now = ms;
    return slots;
  };
  return {
    delay: (ms: number) => at(ms).delay(),
    begin: (ms: number) => at(ms).begin(),
    send(ms: number): SendSlot {
      const begun = at(ms).begin();
      slots.leave(begun);
      return begun;
    },
    leave: (ms: number, begun: SendSlot) => at(ms).leave(begun),
    cancel: (begun: SendSlot) => slots.cancel(begun),
    end(ms: number, begun: SendSlot, isFailure: boolean, isBackoff = false): void {
      isAnnounced = isBackoff;
      at(ms).end(begun, isFailure);
    },
  };
}

describe("a slowdown", () => {
  it.each([
    [1, 0, 500],
    [1, 1, 1000],
    [3, 0.5, 3000],
    [5, 0, 8000],
    [6, 0, 10_000],
    [50, 1, 20_000],
  ])("waits equal jitter after %i bad ends in a row: %f gives %i ms", (count, random, ms) => {
    const slots = timedSlots(random);
    const begun = Array.from({ length: count }, () => slots.begin(0));
    for (const each of begun) slots.end(0, each, true);
    expect(slots.delay(0)).toBe(ms);
  });

  it("starts counting again after a success", () => {
    const slots = timedSlots(0);
    const ends = [true, true, true, false, true];
    const sends = ends.map((isFailure) => ({ begun: slots.begin(0), isFailure }));
    for (const { begun, isFailure } of sends) slots.end(0, begun, isFailure);
    // The wait of the three is not shortened.
    expect(slots.delay(0)).toBe(2000);
    expect(slots.delay(1999)).toBe(1);
  });

  it("does not wait itself if the service announced a wait", () => {
    const slots = timedSlots(0.5);
    slots.end(0, slots.begin(-1000), true, true);
    expect(slots.delay(0)).toBe(0);
    slots.begin(0);
    expect(slots.delay(1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("allows one row at a time until one succeeds that began after the failure", () => {
    const slots = timedSlots(0);
    const [bad, late] = [slots.begin(0), slots.begin(0)];
    slots.end(0, bad, true);
    expect(slots.delay(10_000)).toBe(Number.POSITIVE_INFINITY);
    slots.end(10_000, late, false);
    expect(slots.delay(10_000)).toBe(0);
    const probe = slots.begin(10_000);
    expect(slots.delay(20_000)).toBe(Number.POSITIVE_INFINITY);
    slots.end(20_000, probe, false);
    expect(slots.delay(20_000)).toBe(0);
    slots.send(20_000);
    expect(slots.delay(20_000)).toBe(50);
    expect(slots.delay(20_050)).toBe(0);
  });

  it.each([0, 1])(
    "sends 20 rows a second after a failure, and doubles that every two seconds",
    (late) => {
      const slots = timedSlots(0);
      slots.end(0, slots.begin(0), true);
      // Seen from the success on, also by timers that fire late.
      const probe = slots.begin(1000);
      slots.end(1000, probe, false);
      const sent: number[] = [];
      for (let now = 1000; now < 9000;) {
        sent.push(now);
        slots.end(now, slots.send(now), false);
        const delay = slots.delay(now);
        if (delay > 0) now += delay + late;
      }
      const between = (from: number, to: number) =>
        sent.filter((at) => at >= 1000 + from && at < 1000 + to).length;
      // The integral of 20 · 2^(t/2): 20, 40, 80 and 160 rows a second at the beginning of each part.
      const expected = [58, 115, 231, 462];
      for (const [i, rows] of expected.entries()) {
        expect(between(2000 * i, 2000 * (i + 1))).toBeGreaterThan(rows * 0.94);
        expect(between(2000 * i, 2000 * (i + 1))).toBeLessThan(rows * 1.06);
      }
    },
  );

  it("begins with 20 rows a second again after the next failure, and is unlimited in the end", () => {
    const slots = timedSlots(0);
    const recover = (at: number): void => {
      slots.end(at, slots.begin(at), true);
      slots.end(at + 500, slots.begin(at + 500), false);
    };
    recover(0);
    slots.end(4500, slots.begin(4500), false);
    recover(4500);
    slots.send(5000);
    expect(Math.round(1000 / slots.delay(5000))).toBe(20);
    for (let i = 0; i < 3; i += 1) slots.begin(60_000);
    expect(slots.delay(60_000)).toBe(0);
  });
});

it("lets one send follow the other after the interval, however late that one left", () => {
  const pace = timedSlots(0, 1000);
  const first = pace.begin(0);
  // It waits for the rate limiter.
  expect(pace.delay(9000)).toBe(Number.POSITIVE_INFINITY);
  pace.leave(9000, first);
  expect(pace.delay(9000)).toBe(1000);
  expect(pace.delay(10_400)).toBe(0);
  pace.leave(10_400, pace.begin(10_400));
  // Another send of the first row, which was refused, does not count.
  pace.leave(11_000, first);
  expect(pace.delay(10_400)).toBe(1000);
});

it("keeps the interval after a failure", () => {
  const pace = timedSlots(0, 60_000);
  const send = (ms: number, isFailure: boolean): void => {
    const begun = pace.begin(ms);
    pace.leave(ms, begun);
    pace.end(ms + 10, begun, isFailure);
  };
  send(0, true);
  expect(pace.delay(10)).toBe(59_990);
  send(60_000, false);
  expect(pace.delay(60_010)).toBe(59_990);
});

it("goes on at once if nothing left", () => {
  const pace = timedSlots(0, 1000);
  pace.cancel(pace.begin(0));
  expect(pace.delay(0)).toBe(0);
});

it("is never faster than its interval, and catches up a few ms of a short one", () => {
  const cases = fc.record({
    interval: fc.integer({ min: 1, max: 2000 }),
    late: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 50 }),
  });
  fc.assert(
    fc.property(cases, ({ interval, late }) => {
      const pace = timedSlots(0, interval);
      const sends = late.map((ms) => {
        now += pace.delay(now) + ms;
        pace.leave(now, pace.begin(now));
        return now;
      });
      const caughtUp = interval < 20 ? 5 : 0;
      for (let from = 0; from < sends.length; from += 1)
        for (let to = from + 1; to < sends.length; to += 1)
          expect((sends[to] ?? 0) - (sends[from] ?? 0)).toBeGreaterThanOrEqual(
            (to - from) * interval - caughtUp,
          );
    }),
  );
});

let now = 0;
