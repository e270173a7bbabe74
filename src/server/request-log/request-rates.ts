import type { Outcome, SecondCounts } from "./types.ts";

/** How many seconds are counted, the current one included. */
export const ratedSeconds = 61;

/** How many requests ended in each of the last seconds, however many of them anybody has seen. */
export interface RequestRates {
  count(outcome: Outcome): void;
  /** Returns the counts from the second `from` on (Unix seconds), and the current time in ms. */
  since(from: number): RatesUpdate;
  clear(): void;
}

/** The counts of some seconds; one that is left out has no requests. */
export interface RatesUpdate {
  readonly now: number;
  readonly seconds: readonly (readonly [second: number, counts: SecondCounts])[];
}

/** Returns empty counts; `clock` returns ms since the epoch. */
export function requestRates(clock: () => number = Date.now): RequestRates {
  const seconds = new Map<number, Partial<Record<Outcome, number>>>();
  return {
    count: (outcome) => {
      const second = Math.floor(clock() / 1000);
      let counts = seconds.get(second);
      if (counts === undefined) {
        counts = {};
        seconds.set(second, counts);
        for (const old of seconds.keys()) if (old <= second - ratedSeconds) seconds.delete(old);
      }
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    },
    since: (from) => ({
      now: clock(),
      seconds: [...seconds].filter(([second]) => second >= from),
    }),
    clear: () => seconds.clear(),
  };
}
