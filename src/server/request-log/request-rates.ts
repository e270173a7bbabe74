import type { Outcome, RatesUpdate } from "./types.ts";

/** How many seconds are counted, the current one included. */
export const ratedSeconds = 61;

/** Counts how many requests ended in each of the last seconds, however many of them anybody has seen. */
export function requestRates(clock: () => number = Date.now) {
  const seconds = new Map<number, Partial<Record<Outcome, number>>>();
  const begin = (second: number): Partial<Record<Outcome, number>> => {
    const counts = {};
    seconds.set(second, counts);
    for (const old of seconds.keys()) if (old <= second - ratedSeconds) seconds.delete(old);
    return counts;
  };
  return {
    count: (outcome: Outcome): void => {
      const second = Math.floor(clock() / 1000);
      const counts = seconds.get(second) ?? begin(second);
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    },
    /** Returns the counts from the second `from` on. */
    since: (from: number): RatesUpdate => ({
      now: clock(),
      seconds: [...seconds].filter(([second]) => second >= from),
    }),
    clear: (): void => seconds.clear(),
  };
}
