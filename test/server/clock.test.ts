import { array, assert, boolean, double, integer, oneof, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { makeStoreClock } from "../../src/server/clock.ts";

const start = Date.UTC(2030, 0, 1);

/** Returns a store's clock, and a function that lets real time pass. */
function clockAt(begin?: number) {
  let real = 1_000.5;
  const machine = { now: () => 5_000 + Math.floor(real), monotonic: () => real };
  return { clock: makeStoreClock(machine, begin), pass: (ms: number) => void (real += ms) };
}

describe("makeStoreClock", () => {
  it("goes by the machine's clock unless it has a start", () => {
    const { clock, pass } = clockAt();
    expect(clock.now()).toBe(6_000);
    pass(10);
    expect(clock.now()).toBe(6_010);
  });

  it("goes on from its start, in whole ms", () => {
    const { clock, pass } = clockAt(start);
    pass(1.75);
    expect(clock.now()).toBe(start + 1);
    expect(clock.isFrozen()).toBe(false);
  });

  it("goes on from where it is set, never back, and not past 9999", () => {
    const { clock, pass } = clockAt(start);
    expect(clock.set(start + 61_000)).toBe(true);
    pass(5);
    expect(clock.now()).toBe(start + 61_005);
    for (const moment of [start, Date.UTC(10_000), Number.NaN, Infinity])
      expect(clock.set(moment)).toBe(false);
    expect(clock.now()).toBe(start + 61_005);
    expect(clock.set(Date.UTC(10_000) - 1)).toBe(true);
    pass(5);
    expect(clock.now()).toBe(Date.UTC(10_000) - 1);
  });

  it("stops, can be set while it stands, and goes on", () => {
    const { clock, pass } = clockAt();
    clock.freeze(true);
    pass(500);
    expect([clock.now(), clock.isFrozen()]).toEqual([6_000, true]);
    expect(clock.set(7_000)).toBe(true);
    pass(500);
    clock.freeze(true);
    expect(clock.now()).toBe(7_000);
    clock.freeze(false);
    pass(3);
    expect([clock.now(), clock.isFrozen()]).toEqual([7_003, false]);
  });

  it("never goes back, whatever is done with it", () => {
    const step = oneof(
      boolean(),
      integer({ min: -5_000, max: 5_000 }),
      double({ min: 0, max: 1_000, noNaN: true }).map(String),
    );
    assert(
      property(array(step), (steps) => {
        const { clock, pass } = clockAt(start);
        let last = clock.now();
        for (const each of steps) {
          if (typeof each === "boolean") clock.freeze(each);
          else if (typeof each === "number") clock.set(last + each);
          else pass(Number(each));
          expect(clock.now()).toBeGreaterThanOrEqual(last);
          last = clock.now();
        }
      }),
    );
  });
});
