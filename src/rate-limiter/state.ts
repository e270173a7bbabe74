import type { ObservedLimits } from "./log/records.ts";
import type { QuotaWindow } from "./windows.ts";

/** A permit whose request has not ended, by the records. */
export interface Permit {
  readonly id: string;
  readonly pid: number;
  /** When it was asked for. */
  readonly at: number;
  /** When its process last said that it is on its way. */
  readonly aliveAt: number;
  readonly expiresAt: number;
  /** Whether its request is the one that goes first after a back-off. */
  readonly probe: boolean;
  /** Whether it was asked for after the last refusal, with knowledge of it. */
  readonly afterBackoff: boolean;
}

/** The time until which nobody sends. It stays, also when it is over, until a request gets through. */
export interface Backoff {
  readonly until: number;
  /** The status of the reply that asked for it. */
  readonly status: number;
}

/** The limits that the last reply announced. */
interface LastObserved {
  readonly limits: Omit<ObservedLimits, "reset">;
  readonly at: number;
}

/** All that is known of the requests of one key. Times are ms since the reader's machine started. */
export interface LimiterState {
  windows: readonly QuotaWindow[];
  backoff: Backoff | undefined;
  /** How many refusals in a row there were, with no success in between. */
  strikes: number;
  /** By id, in the order in which they were asked for. */
  readonly permits: Map<string, Permit>;
  /** No permit expires before this time. */
  nextExpiry: number;
  /** Requests that ended without a reply, the last one at `at`, and that the service may have counted. */
  uncounted: { readonly count: number; readonly at: number };
  lastObserved: LastObserved | undefined;
}

/** Returns the state of a log without records. */
export function emptyState(): LimiterState {
  return {
    windows: [],
    backoff: undefined,
    strikes: 0,
    permits: new Map(),
    nextExpiry: Number.POSITIVE_INFINITY,
    uncounted: { count: 0, at: 0 },
    lastObserved: undefined,
  };
}

/** The longest back-off, in ms; a longer one is remembered as this (rate-limits.md). */
export const maxWaitMs = 24 * 60 * 60_000;
