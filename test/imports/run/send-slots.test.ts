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

/** Returns `at`, which moves the clock of some slots to a time and returns them, and `send`, which sends a row then. */
function timedSlots(random: number, intervalMs = 0, isBackoffAnnounced = false) {
  let now = 0;
  const slots = new SendSlots({
    clock: { monotonic: () => now },
    random: () => random,
    intervalMs,
    wait: () => Promise.reject(new Error("nobody waits here")),
    isBackoffAnnounced: () => isBackoffAnnounced,
  });
  const at = (ms: number): SendSlots => {
    now = ms;
    return slots;
  };
  const send = (ms: number): SendSlot => {
    const begun = at(ms).begin();
    slots.leave(begun);
    return begun;
  };
  return { at, send };
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
    const { at } = timedSlots(random);
    const begun = Array.from({ length: count }, () => at(0).begin());
    for (const each of begun) at(0).end(each, true);
    expect(at(0).delay()).toBe(ms);
  });

  it("starts counting again after a success", () => {
    const { at } = timedSlots(0);
    const ends = [true, true, true, false, true];
    const sends = ends.map((isFailure) => ({ begun: at(0).begin(), isFailure }));
    for (const { begun, isFailure } of sends) at(0).end(begun, isFailure);
    // The wait of the three is not shortened.
    expect(at(0).delay()).toBe(2000);
    expect(at(1999).delay()).toBe(1);
  });

  it("does not wait itself if the service announced a wait", () => {
    const { at } = timedSlots(0.5, 0, true);
    const begun = at(-1000).begin();
    at(0).end(begun, true);
    expect(at(0).delay()).toBe(0);
    at(0).begin();
    expect(at(1).delay()).toBe(Number.POSITIVE_INFINITY);
  });

  it("allows one row at a time until one succeeds that began after the failure", () => {
    const { at, send } = timedSlots(0);
    const [bad, late] = [at(0).begin(), at(0).begin()];
    at(0).end(bad, true);
    expect(at(10_000).delay()).toBe(Number.POSITIVE_INFINITY);
    at(10_000).end(late, false);
    expect(at(10_000).delay()).toBe(0);
    const probe = at(10_000).begin();
    expect(at(20_000).delay(probe)).toBe(0);
    expect(at(20_000).delay()).toBe(Number.POSITIVE_INFINITY);
    at(20_000).end(probe, false);
    expect(at(20_000).delay()).toBe(0);
    send(20_000);
    expect(at(20_000).delay()).toBe(50);
    expect(at(20_050).delay()).toBe(0);
  });

  it.each([0, 1])("sends 20 rows a second after a failure, twice as many every 2 s", (late) => {
    const { at, send } = timedSlots(0);
    at(0).end(at(0).begin(), true);
    // Seen from the success on, also by timers that fire late.
    const probe = at(1000).begin();
    at(1000).end(probe, false);
    const sent: number[] = [];
    for (let now = 1000; now < 9000;) {
      sent.push(now);
      at(now).end(send(now), false);
      const delay = at(now).delay();
      if (delay > 0) now += delay + late;
    }
    // The integral of 20 · 2^(t/2): 20, 40, 80 and 160 rows a second at the beginning of each part.
    for (const [i, rows] of [58, 115, 231, 462].entries()) {
      const count = sent.filter((ms) => Math.floor((ms - 1000) / 2000) === i).length;
      expect(count).toBeGreaterThan(rows * 0.94);
      expect(count).toBeLessThan(rows * 1.06);
    }
  });

  it("begins with 20 rows a second again after the next failure, and is unlimited in the end", () => {
    const { at, send } = timedSlots(0);
    const recover = (ms: number): void => {
      at(ms).end(at(ms).begin(), true);
      at(ms + 500).end(at(ms + 500).begin(), false);
    };
    recover(0);
    at(4500).end(at(4500).begin(), false);
    recover(4500);
    send(5000);
    expect(Math.round(1000 / at(5000).delay())).toBe(20);
    for (let i = 0; i < 3; i += 1) at(60_000).begin();
    expect(at(60_000).delay()).toBe(0);
  });
});

it("lets one send follow the other after the interval, however late that one left", () => {
  const { at, send } = timedSlots(0, 1000);
  const first = at(0).begin();
  // It waits for the rate limiter.
  expect(at(9000).delay()).toBe(Number.POSITIVE_INFINITY);
  at(9000).leave(first);
  expect(at(9000).delay()).toBe(1000);
  expect(at(10_400).delay()).toBe(0);
  send(10_400);
  // Another send of the first row, which was refused, does not count.
  at(11_000).leave(first);
  expect(at(10_400).delay()).toBe(1000);
});

it("keeps the interval after a failure", () => {
  const { at, send } = timedSlots(0, 60_000);
  const end = (ms: number, isFailure: boolean): void => {
    const begun = send(ms);
    at(ms + 10).end(begun, isFailure);
  };
  end(0, true);
  expect(at(10).delay()).toBe(59_990);
  end(60_000, false);
  expect(at(60_010).delay()).toBe(59_990);
});

it("goes on at once if nothing left", () => {
  const { at } = timedSlots(0, 1000);
  at(0).cancel(at(0).begin());
  expect(at(0).delay()).toBe(0);
});

it("is never faster than its interval, and catches up a few ms of a short one", () => {
  const cases = fc.record({
    interval: fc.integer({ min: 1, max: 2000 }),
    late: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 50 }),
  });
  fc.assert(
    fc.property(cases, ({ interval, late }) => {
      const { at, send } = timedSlots(0, interval);
      let now = 0;
      const sends = late.map((ms) => {
        now += at(now).delay() + ms;
        send(now);
        return now;
      });
      const caughtUp = interval < 20 ? 5 : 0;
      for (let from = 0; from < sends.length; from += 1)
        for (let to = from + 1; to < sends.length; to += 1)
          expect(sends[to]).toBeGreaterThanOrEqual(
            (sends[from] ?? 0) + (to - from) * interval - caughtUp,
          );
    }),
  );
});
