import { mulberry32 } from "../seed/mulberry32.ts";

/** What chance decides of one request: numbers from 0 up to 1. */
interface Draw {
  readonly fault: number;
  /** Whether the fault strikes before the animal is kept, or after. */
  readonly moment: number;
  /** Where a reply is cut off. */
  readonly cut: number;
  readonly latency: number;
}

/** Chance that comes out the same each time. */
export interface FaultSource {
  /** The lot of the next request. */
  next(): Draw;
  /** Begins again with the lot of the first. */
  reset(): void;
}

/**
 * Lots out of `seed`, a whole number from 0 to 2^32 - 1. Each takes as many random numbers, so that
 * what becomes of one request does not change the lots of those after it.
 */
export function faultSource(seed: number): FaultSource {
  let random = mulberry32(seed);
  return {
    next: () => ({ fault: random(), moment: random(), cut: random(), latency: random() }),
    reset: () => {
      random = mulberry32(seed);
    },
  };
}
