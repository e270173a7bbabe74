import { describe, expect, it } from "vitest";
import { Slowdown } from "../../../src/imports/run/slowdown.ts";

/** Returns a Slowdown whose jitter is `random`, and its sends. */
function slowdownWith(random: number) {
  const slowdown = new Slowdown(() => random);
  const end = (at: number, episode: number, isTrouble: boolean, isAnnounced = false) =>
    slowdown.end({ at, episode, isTrouble, isAnnounced });
  return { slowdown, end };
}

describe("Slowdown", () => {
  it("delays nothing while nothing goes wrong", () => {
    const { slowdown, end } = slowdownWith(0.5);
    const episodes = [slowdown.begin(0), slowdown.begin(0), slowdown.begin(0)];
    for (const episode of episodes) end(1, episode, false);
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
    const episodes = Array.from({ length: count }, () => slowdown.begin(0));
    for (const episode of episodes) end(0, episode, true);
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
    slowdown.begin(20_000);
    expect(slowdown.delay(20_000)).toBe(50);
    expect(slowdown.delay(20_050)).toBe(0);
  });

  it("speeds up while nothing goes wrong, and halves its rate when something does", () => {
    const { slowdown, end } = slowdownWith(0);
    const rateAt = (now: number): number => {
      slowdown.begin(now);
      return 1000 / slowdown.delay(now);
    };
    end(0, slowdown.begin(0), true);
    end(500, slowdown.begin(500), false);
    expect([rateAt(500), rateAt(10_500), rateAt(20_500)]).toEqual([20, 40, 80]);
    end(20_500, slowdown.begin(20_500), true);
    for (let i = 0; i < 3; i += 1) end(20_500, 0, false);
    end(30_000, slowdown.begin(30_000), false);
    expect(rateAt(30_000)).toBe(40);
    expect(rateAt(100_000)).toBe(Number.POSITIVE_INFINITY);
  });
});

/** A server that accepts `rate` rows a second, and `burst` at once, and replies in `latency` ms. */
interface Server {
  readonly rows: number;
  readonly workers: number;
  readonly rate: number;
  readonly burst: number;
  readonly latency: number;
}

/** Returns how a run of this many rows and workers ends with it. */
function simulate({ rows, workers, rate, burst, latency }: Server) {
  const slowdown = new Slowdown(() => 0.5);
  const inFlight: { at: number; episode: number; isTrouble: boolean }[] = [];
  let [now, sent, unknown, tokens, filledAt] = [0, 0, 0, burst, 0];
  while (sent < rows || inFlight.length > 0) {
    const delay =
      sent < rows && inFlight.length < workers ? slowdown.delay(now) : Number.POSITIVE_INFINITY;
    const next = inFlight[0]?.at ?? Number.POSITIVE_INFINITY;
    if (next <= now + delay) {
      now = next;
      const ended = inFlight.shift();
      if (ended !== undefined) slowdown.end({ ...ended, isAnnounced: false });
      continue;
    }
    now += delay;
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * rate);
    filledAt = now;
    const isTrouble = tokens < 1;
    if (isTrouble) unknown += 1;
    else tokens -= 1;
    inFlight.push({ at: now + latency, episode: slowdown.begin(now), isTrouble });
    sent += 1;
  }
  return { unknown, seconds: now / 1000 };
}

it.each([
  [{ rows: 300, workers: 8, rate: 40, burst: 20, latency: 3 }, 10, 40],
  [{ rows: 300, workers: 8, rate: 40, burst: 20, latency: 200 }, 10, 40],
  [{ rows: 300, workers: 1, rate: 40, burst: 20, latency: 3 }, 4, 40],
  [{ rows: 5000, workers: 8, rate: 40, burst: 20, latency: 3 }, 40, 190],
  [{ rows: 300, workers: 8, rate: 10, burst: 5, latency: 3 }, 30, 80],
])(
  "leaves only a few rows unknown with a server that refuses more than its rate: %j",
  (server, most, seconds) => {
    const run = simulate(server);
    expect(run.unknown).toBeLessThanOrEqual(most);
    expect(run.seconds).toBeLessThan(seconds);
  },
);
