/** What the least time of some work depends on; moments and lengths in ms. */
interface Work {
  readonly start: number;
  /** When the first request came to the store. */
  readonly first: number;
  readonly windowMs: number;
  /** How many windows the requests fill, the last of them perhaps in part. */
  readonly windows: number;
}

/** The least time, in ms, from the start until the last window that is needed begins; windows are aligned to UTC. */
export function leastMs({ start, first, windowMs, windows }: Work): number {
  return (Math.floor(first / windowMs) + windows - 1) * windowMs - start;
}
