import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Slowdown } from "../../../src/imports/run/slowdown.ts";

/** Returns a Slowdown whose jitter is `random`, and its sends. */
function slowdownWith(random: number) {
  const slowdown = new Slowdown(() => random);
  const end = (at: number, outage: number, isTrouble: boolean, isAnnounced = false) =>
    isTrouble ? slowdown.fail(at, isAnnounced) : slowdown.succeed(at, outage);
  return { slowdown, end };
}

describe("Slowdown", () => {
  it("delays nothing while nothing goes wrong", () => {
    const { slowdown, end } = slowdownWith(0.5);
    const outages = [slowdown.begin(0), slowdown.begin(0), slowdown.begin(0)];
    for (const outage of outages) end(1, outage, false);
    expect(slowdown.delay(1)).toBe(0);
  });

  it.each([
    [1, 0, 500],
    [1, 1, 1000],
    [2, 0, 1000],
    [3, 0.5, 3000],
    [5, 0, 8000],
    [6, 0, 10_000],
    [6, 1, 20_000],
    [50, 1, 20_000],
  ])("waits equal jitter after %i bad ends in a row: %f gives %i ms", (count, random, ms) => {
    const { slowdown, end } = slowdownWith(random);
    const outages = Array.from({ length: count }, () => slowdown.begin(0));
    for (const outage of outages) end(0, outage, true);
    expect(slowdown.delay(0)).toBe(ms);
  });

  it("starts counting again after a success", () => {
    const { slowdown, end } = slowdownWith(0);
    for (const isTrouble of [true, true, true, false, true]) end(0, slowdown.begin(0), isTrouble);
    // The wait of the three is not shortened.
    expect(slowdown.delay(0)).toBe(2000);
    expect(slowdown.delay(1999)).toBe(1);
  });

  it("does not wait itself if the service announced a wait", () => {
    const { slowdown, end } = slowdownWith(0.5);
    end(0, slowdown.begin(-1000), true, true);
    expect(slowdown.delay(0)).toBe(0);
    slowdown.begin(0);
    expect(slowdown.delay(1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("allows one row at a time until one succeeds that began after the trouble", () => {
    const { slowdown, end } = slowdownWith(0);
    const [bad, late] = [slowdown.begin(0), slowdown.begin(0)];
    end(0, bad, true);
    expect(slowdown.delay(10_000)).toBe(Number.POSITIVE_INFINITY);
    end(10_000, late, false);
    expect(slowdown.delay(10_000)).toBe(0);
    const probe = slowdown.begin(10_000);
    expect(slowdown.delay(20_000)).toBe(Number.POSITIVE_INFINITY);
    end(20_000, probe, false);
    expect(slowdown.delay(20_000)).toBe(0);
    slowdown.begin(20_000);
    expect(slowdown.delay(20_000)).toBe(50);
    expect(slowdown.delay(20_050)).toBe(0);
  });

  it.each([0, 7])(
    "sends 20 rows a second after trouble, and doubles that every two seconds",
    (late) => {
      const { slowdown, end } = slowdownWith(0);
      end(0, slowdown.begin(0), true);
      // Seen from the success on, also by timers that fire late.
      const probe = slowdown.begin(1000);
      end(1000, probe, false);
      const sent: number[] = [];
      for (let now = 1000; now < 9000;) {
        sent.push(now);
        end(now, slowdown.begin(now), false);
        const delay = slowdown.delay(now);
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

  it("begins with 20 rows a second again after the next trouble, and is unlimited in the end", () => {
    const { slowdown, end } = slowdownWith(0);
    const recover = (at: number): void => {
      end(at, slowdown.begin(at), true);
      end(at + 500, slowdown.begin(at + 500), false);
    };
    recover(0);
    end(4500, slowdown.begin(4500), false);
    recover(4500);
    slowdown.begin(5000);
    expect(Math.round(1000 / slowdown.delay(5000))).toBe(20);
    for (let i = 0; i < 3; i += 1) slowdown.begin(60_000);
    expect(slowdown.delay(60_000)).toBe(0);
  });
});

/** A server that fails at random, or accepts `rate` rows a second and `burst` at once. It replies in `latency` ms. */
interface Server {
  readonly rows: number;
  readonly workers: number;
  readonly latency: number;
  readonly rate?: number;
  readonly burst?: number;
  /** The part of the rows that fail at random. */
  readonly faults?: number;
}

/** Returns how a run of this many rows and workers ends with it. */
function simulate({
  rows,
  workers,
  latency,
  rate = Infinity,
  burst = Infinity,
  faults = 0,
}: Server) {
  const slowdown = new Slowdown(() => 0.5);
  const inFlight: { at: number; outage: number; isTrouble: boolean }[] = [];
  let [now, sent, unknown, tokens, filledAt] = [0, 0, 0, burst, 0];
  while (sent < rows || inFlight.length > 0) {
    const delay =
      sent < rows && inFlight.length < workers ? slowdown.delay(now) : Number.POSITIVE_INFINITY;
    const next = inFlight[0]?.at ?? Number.POSITIVE_INFINITY;
    if (next <= now + delay) {
      now = next;
      const ended = inFlight.shift();
      if (ended?.isTrouble === true) slowdown.fail(ended.at, false);
      else if (ended !== undefined) slowdown.succeed(ended.at, ended.outage);
      continue;
    }
    now += delay;
    if (rate < Infinity) tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * rate);
    filledAt = now;
    const isTrouble = tokens < 1 || (sent * faults) % 1 > 1 - faults;
    if (isTrouble) unknown += 1;
    else tokens -= 1;
    inFlight.push({ at: now + latency, outage: slowdown.begin(now), isTrouble });
    sent += 1;
  }
  return { unknown, seconds: now / 1000 };
}

it.each([
  [{ rows: 300, workers: 8, rate: 40, burst: 20, latency: 3 }, 14, 40],
  [{ rows: 300, workers: 8, rate: 40, burst: 20, latency: 200 }, 24, 40],
  [{ rows: 300, workers: 1, rate: 40, burst: 20, latency: 3 }, 6, 40],
  [{ rows: 5000, workers: 8, rate: 40, burst: 20, latency: 3 }, 150, 190],
  [{ rows: 300, workers: 8, rate: 10, burst: 5, latency: 3 }, 40, 80],
])(
  "leaves only a few rows unknown with a server that refuses more than its rate: %j",
  (server, most, seconds) => {
    const run = simulate(server);
    expect(run.unknown).toBeLessThanOrEqual(most);
    expect(run.seconds).toBeLessThan(seconds);
  },
);

// A wait of 0.75 s, one row, and then 20 rows a second and more, for each of the faults.
it.each([
  [{ rows: 1000, workers: 8, latency: 5, faults: 0.01 }, 10 * 3.5],
  [{ rows: 1000, workers: 8, latency: 5, faults: 0.05 }, 50 * 1.7],
])("is not slowed down more than the faults ask: %j", (server, seconds) => {
  expect(simulate(server).seconds).toBeLessThan(seconds);
});

/** Returns a Slowdown that only keeps this interval. */
const paceOf = (intervalMs: number) => new Slowdown(() => 0, intervalMs);

it("delays nothing without an interval", () => {
  const pace = paceOf(0);
  for (let turn = 0; turn < 3; turn += 1) {
    pace.begin(0);
    expect(pace.delay(0)).toBe(0);
    pace.sent(0);
  }
});

it("lets one send follow the other after the interval, however late that one left", () => {
  const pace = paceOf(1000);
  pace.begin(0);
  // It waits for the rate limiter.
  expect(pace.delay(9000)).toBe(Number.POSITIVE_INFINITY);
  pace.sent(9000);
  expect(pace.delay(9000)).toBe(1000);
  expect(pace.delay(10_400)).toBe(0);
  pace.begin(10_400);
  pace.sent(10_400);
  expect(pace.delay(10_400)).toBe(1000);
});

it("goes on at once if nothing left", () => {
  const pace = paceOf(1000);
  pace.begin(0);
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
      const pace = paceOf(interval);
      const sends = late.map((ms) => {
        now += pace.delay(now) + ms;
        pace.begin(now);
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
