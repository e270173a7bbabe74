import type { Decision } from "./decide.ts";
import type { Learned } from "./records.ts";
import type { GateState } from "./state.ts";
import { tightest, type Window } from "./windows.ts";

/**
 * So many requests that are left are more than all processes could use up before one of them has
 * written down how many are left then. It is what a service says that has no limits.
 */
const plenty = 100_000;
/** How many requests a process may send, and for how long, in ms, before it writes one down again. */
const mostUnwritten = 1000;
const longestUnwritten = 1000;

/** Whether there are, by what is known at `now`, more requests left than anyone need count. */
function hasPlenty(windows: readonly Window[], now: number): boolean {
  const window = tightest(windows, now);
  return window !== undefined && window.remaining >= plenty;
}

/**
 * The requests of this process that are on their way with nothing written down of them, since there
 * are requests in plenty: two writes for each cost a bulk run a quarter of its speed. `now` is in ms
 * that never go back.
 */
export class Unwritten {
  readonly #ids = new Set<string>();
  #count = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;

  /** Whether a request that was decided on may be one of them. */
  takes(decision: Decision, { windows }: GateState, now: number): boolean {
    return decision.go && !decision.probe && this.#hasRoom(now) && hasPlenty(windows, now);
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#count += 1;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Forgets one that has ended; answers whether it was one of them. */
  delete(id: string): boolean {
    return this.#ids.delete(id);
  }

  /** Whether a reply tells nothing but that there is plenty still. */
  isNoNews({ waitMs, limits }: Learned, now: number): boolean {
    const { remaining = 0 } = limits;
    return waitMs === undefined && remaining >= plenty && this.#hasRoom(now);
  }

  /** What a reply taught was written down. */
  written(now: number): void {
    this.#count = 0;
    this.#writtenAt = now;
  }

  #hasRoom(now: number): boolean {
    return this.#count < mostUnwritten && now - this.#writtenAt < longestUnwritten;
  }
}
