import type { RateLimits } from "../../client/types.ts";

/** How many sends are synced while no reply has reported limits yet. */
const alwaysSyncFirst = 16;

/** How many rows were left to send when the run began, and how many are left now. */
interface Workload {
  readonly atStart: number;
  readonly left: number;
}

/**
 * Returns whether rate limits set the pace of a run, so that a sync before each send costs no time:
 * the run does not fit in one window, or in the rest of this one.
 */
function isRateLimited({ limit, remaining }: RateLimits, { atStart, left }: Workload): boolean {
  return (limit ?? Infinity) < atStart || (remaining ?? Infinity) < left;
}

/** Decides which records of a run are synced to the disk before they count. */
export class SyncRule {
  readonly #limits: () => RateLimits;
  readonly #atStart: number;
  #isPaced = false;

  /** `limits` returns what the service last reported; `atStart` is how many rows are left when the run begins. */
  constructor(limits: () => RateLimits, atStart: number) {
    this.#limits = limits;
    this.#atStart = atStart;
  }

  /** Returns whether what is recorded next must be on the disk, with this many rows left. */
  mustSync(left: number): boolean {
    this.#isPaced ||= isRateLimited(this.#limits(), { atStart: this.#atStart, left });
    return this.#isPaced || this.#atStart - left < alwaysSyncFirst;
  }

  /** Notes that the service refused a send: some report a limit only so. */
  onRefused(): void {
    this.#isPaced = true;
  }
}
