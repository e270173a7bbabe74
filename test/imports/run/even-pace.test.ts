import * as fc from "fast-check";
import { expect, it } from "vitest";
import { EvenPace } from "../../../src/imports/run/even-pace.ts";

it("delays nothing without an interval", () => {
  const pace = new EvenPace(0);
  for (let turn = 0; turn < 3; turn += 1) {
    pace.begin();
    expect(pace.delay(0)).toBe(0);
    pace.sent(0);
  }
});

it("lets one send follow the other after the interval, however late that one left", () => {
  const pace = new EvenPace(1000);
  pace.begin();
  // It waits for the rate limiter.
  expect(pace.delay(9000)).toBe(Number.POSITIVE_INFINITY);
  pace.sent(9000);
  expect(pace.delay(9000)).toBe(1000);
  expect(pace.delay(10_400)).toBe(0);
  pace.begin();
  pace.sent(10_400);
  expect(pace.delay(10_400)).toBe(1000);
});

it("goes on at once if nothing left", () => {
  const pace = new EvenPace(1000);
  pace.begin();
  pace.cancel();
  expect(pace.delay(0)).toBe(0);
});

it("is never faster than its interval, and catches up a few ms of a short one", () => {
  const cases = fc.record({
    interval: fc.integer({ min: 1, max: 2000 }),
    late: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 50 }),
  });
  fc.assert(
    fc.property(cases, ({ interval, late }) => {
      const pace = new EvenPace(interval);
      const sends = late.map((ms) => {
        now += pace.delay(now) + ms;
        pace.begin();
        pace.sent(now);
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
