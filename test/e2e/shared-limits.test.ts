import { describe, expect, it } from "vitest";
import { type Followed, followPets } from "../support/program/followed.ts";
import { envFor, runPets } from "../support/program/program.ts";
import { type PacedService, startPaced } from "../support/servers/paced.ts";

const second = 1000;

/** Returns the headers for a window of 10 requests that ends at `resetAt`, in ms since the epoch. */
function limitHeaders(remaining: number, resetAt: number): Record<string, string> {
  return {
    "x-ratelimit-limit": "10",
    "x-ratelimit-remaining": `${remaining}`,
    "x-ratelimit-reset": `${resetAt / second}`,
  };
}

/** Returns the first whole second at least `ms` from now, in ms since the epoch. */
const wholeSecondIn = (ms: number): number => Math.ceil((Date.now() + ms) / second) * second;

/** Returns how many requests arrived before a time, in ms since the epoch. */
function sentBefore(moment: number, { arrivals }: PacedService): number {
  const startedAt = Date.now() - performance.now();
  return arrivals.filter(({ at }) => startedAt + at < moment - 1).length;
}

const startMany = (count: number, env: Record<string, string>): readonly Followed[] =>
  Array.from({ length: count }, () => followPets(["list", "-v"], { env }));

/** Resolves when the output of `count` runs matches. */
async function manySaw(runs: readonly Followed[], pattern: RegExp, count: number): Promise<void> {
  let seen = 0;
  for (const run of runs)
    run.saw(pattern).then(
      () => (seen += 1),
      () => {},
    );
  await expect.poll(() => seen).toBeGreaterThanOrEqual(count);
}

const codes = async (runs: readonly Followed[]): Promise<readonly unknown[]> =>
  (await Promise.all(runs.map(({ end }) => end))).map(({ code }) => code);

describe("limits that one process has seen", () => {
  it("admit only as many requests as are left, and the rest after the reset", async () => {
    let resetAt = 0;
    const service = await startPaced((arrival, n) => {
      if (n === 0) resetAt = wholeSecondIn(2000);
      const limits = (): Record<string, string> =>
        Date.now() < resetAt
          ? limitHeaders(Math.max(0, 3 - n), resetAt)
          : limitHeaders(Math.max(0, 14 - n), resetAt + 60 * second);
      // Long enough for all to ask while the first ones are in flight.
      if (n === 0) arrival.answer(200, limits());
      else setTimeout(() => arrival.answer(200, limits()), 500);
    });
    const env = envFor(service);
    expect(await runPets(["list"], { env })).toMatchObject({ code: 0 });
    expect(await codes(startMany(6, env))).toEqual(Array.from({ length: 6 }, () => 0));
    expect(service.arrivals).toHaveLength(7);
    expect(sentBefore(resetAt, service)).toBeLessThanOrEqual(4);
  });

  it("are learned by five while the others wait, even on the first start", async () => {
    const service = await startPaced(() => {});
    const env = envFor(service);
    const runs = startMany(8, env);
    await manySaw(runs, /the limits are not known yet/, 3);
    await service.came(5);
    expect(service.arrivals).toHaveLength(5);
    for (let n = 0; n < 8; n += 1) {
      await service.came(n + 1);
      service.arrivals[n]?.answer(200);
    }
    const ends = await Promise.all(runs.map(({ end }) => end));
    expect(ends.map(({ code }) => code)).toEqual(runs.map(() => 0));
    expect(ends.filter(({ stderr }) => stderr.includes("not shared"))).toEqual([]);
    expect(service.mostAtOnce).toBe(5);
  });
});
