import { fdatasync, fdatasyncSync } from "node:fs";
import type { ObservedLimits } from "../../rate-limiter/log/records.ts";

/** How many sends are synced before anything is known of limits: no reply has told of them yet. */
export const alwaysSyncFirst = 16;
/** How old what is not on the disk may get where no limit sets the pace, in ms. */
const longestUnsynced = 1000;

/** How much is to be sent: when the run began, and now. */
export interface Workload {
  readonly atStart: number;
  readonly left: number;
}

/**
 * Whether limits set the pace of a run, so that a sync before each send costs nothing: the run does
 * not fit in one window, or not in what is left of this one (rate-limits.md).
 */
export function isRateLimited(
  { limit, remaining }: ObservedLimits,
  { atStart, left }: Workload,
): boolean {
  return (limit ?? Infinity) < atStart || (remaining ?? Infinity) < left;
}

/** Brings what was written to a file to the disk: at once, or within a second. */
export class DeferredSync {
  readonly #fd: number;
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  #isDirty = false;
  #error: Error | undefined;
  #afterwards = (): void => {};

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Brings all that was written to the disk. Throws what the system says, now or earlier. */
  flush(): void {
    this.throwIfFailed();
    this.#cancel();
    fdatasyncSync(this.#fd);
    this.#isDirty = false;
  }

  /** Lets what was written get to the disk within a second, without anybody waiting for it. */
  schedule(): void {
    this.#isDirty = true;
    this.#timer ??= setTimeout(() => this.#start(), longestUnsynced).unref();
  }

  /** Throws what went wrong while nobody waited. */
  throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Brings what is left to the disk, as far as that goes, and calls `close` once no sync is under way. */
  close(close: () => void): void {
    try {
      if (this.#isDirty) this.flush();
    } catch {
      // What was not synced is no worse than it was.
    }
    this.#cancel();
    if (this.#running > 0) this.#afterwards = close;
    else close();
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(): void {
    this.#timer = undefined;
    this.#running += 1;
    this.#isDirty = false;
    fdatasync(this.#fd, (error) => {
      this.#running -= 1;
      if (error !== null) this.#error = error;
      if (this.#running === 0) this.#afterwards();
    });
  }
}
