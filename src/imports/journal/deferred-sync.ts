import { fdatasync, fdatasyncSync } from "node:fs";
import type { ObservedLimits } from "../../rate-limiter/rules/records.ts";

/** How many sends are synced while no reply has reported limits yet. */
export const alwaysSyncFirst = 16;
/** The longest time that written data stays unsynced if no limit sets the pace, in ms. */
const maxUnsyncedMs = 1000;

/** How many rows were left to send when the run began, and how many are left now. */
export interface Workload {
  readonly atStart: number;
  readonly left: number;
}

/**
 * Returns whether rate limits set the pace of a run, so that a sync before each send costs no time:
 * the run does not fit in one window, or in the rest of this one (rate-limits.md).
 */
export function isRateLimited(
  { limit, remaining }: ObservedLimits,
  { atStart, left }: Workload,
): boolean {
  return (limit ?? Infinity) < atStart || (remaining ?? Infinity) < left;
}

/** Syncs a file to the disk: at once, or within a second. */
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

  /** Syncs now. Throws the error of this sync, or of an earlier one in the background. */
  flush(): void {
    this.throwIfFailed();
    this.#cancel();
    fdatasyncSync(this.#fd);
    this.#isDirty = false;
  }

  /** Syncs in the background, within a second. */
  schedule(): void {
    this.#isDirty = true;
    this.#timer ??= setTimeout(() => this.#start(), maxUnsyncedMs).unref();
  }

  /** Throws the error of a sync in the background, if there was one. */
  throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Syncs what is left, ignoring errors, and calls `close` once no sync is running. */
  close(close: () => void): void {
    try {
      if (this.#isDirty) this.flush();
    } catch {
      // The run has ended: nothing depends on this sync any more.
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
