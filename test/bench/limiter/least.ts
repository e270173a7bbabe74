/** What the minimum time of some work depends on; times and durations in ms. */
interface Work {
  readonly start: number;
  /** When the first request arrived at the store. */
  readonly first: number;
  readonly windowMs: number;
  /** How many windows the requests fill, the last of them perhaps in part. */
  readonly windows: number;
}

/** Returns the minimum time, in ms, from the start until the last required window begins; windows are aligned to UTC. */
export function leastMs({ start, first, windowMs, windows }: Work): number {
  return (Math.floor(first / windowMs) + windows - 1) * windowMs - start;
}
