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
});
