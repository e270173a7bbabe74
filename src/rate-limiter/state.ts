import type { ObservedLimits } from "./log/records.ts";
import type { Window } from "./windows.ts";

/** A place that was asked for, whose request has not ended as far as anyone told. */
export interface Permit {
  readonly id: string;
  readonly pid: number;
  /** When it was asked for, and when it is over at the latest. */
  readonly at: number;
  readonly expiresAt: number;
  /** Whether its request tries whether the service answers again after a wait. */
  readonly probe: boolean;
  /** Whether it was asked for after the last refusal, and so by someone who knew of it. */
  readonly afterBackoff: boolean;
}

/** A wait that the service asked for; it stays, also when it is over, until a request gets through. */
export interface Backoff {
  readonly until: number;
  /** The status of the reply that asked for it. */
  readonly status: number;
}

/** The limits that were told last, and when. */
interface LastObserved {
  readonly limits: Omit<ObservedLimits, "reset">;
  readonly at: number;
}

/**
 * All that is known of the requests of one key. Moments are in ms on the reader's timeline, the time
 * since its machine started.
 */
export interface LimiterState {
  windows: readonly Window[];
  block: Backoff | undefined;
  /** How many refusals in a row there were, with nothing let through in between. */
  strikes: number;
  /** By id, in the order in which they were asked for. */
  readonly places: Map<string, Permit>;
  /** None of them is over before this moment. */
  nextExpiry: number;
  /** Requests that ended without an answer since `at`, and that the service may have counted. */
  uncounted: { readonly count: number; readonly at: number };
  lastObserved: LastObserved | undefined;
}

/** What is known before anything is. */
export function emptyState(): LimiterState {
  return {
    windows: [],
    block: undefined,
    strikes: 0,
    places: new Map(),
    nextExpiry: Number.POSITIVE_INFINITY,
    uncounted: { count: 0, at: 0 },
    lastObserved: undefined,
  };
}

const hour = 60 * 60_000;

/** The longest wait that is believed, in ms: one that is announced longer is remembered as this (rate-limits.md). */
export const maxWaitMs = 24 * hour;
