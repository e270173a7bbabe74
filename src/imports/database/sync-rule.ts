import type { RateLimits } from "../../client/types.ts";

/** How many sends are synced while no reply has reported limits yet. */
const alwaysSyncFirst = 16;

/** Decides which records of a run are synced to the disk: while limits set the pace, that costs no time. */
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
    const { limit = Infinity, remaining = Infinity } = this.#limits();
    this.#isPaced ||= limit < this.#atStart || remaining < left;
    return this.#isPaced || this.#atStart - left < alwaysSyncFirst;
  }

  /** Notes that the service refused a send: some report a limit only so. */
  onRefused(): void {
    this.#isPaced = true;
  }
}
