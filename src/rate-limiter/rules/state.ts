import type { ObservedLimits } from "./records.ts";
import type { QuotaWindow } from "./windows.ts";

/** A permit whose request has not ended, by the records. */
export interface Permit {
  readonly id: string;
  readonly pid: number;
  /** When it was requested. */
  readonly at: number;
  /** When its process last recorded that it is in flight. */
  readonly aliveAt: number;
  readonly expiresAt: number;
  /** Whether its request is the one that goes first after a back-off. */
  readonly probe: boolean;
  /** Whether it was requested after the last refusal, with knowledge of it. */
  readonly afterBackoff: boolean;
}

/** The time until which nothing is sent, and the status that asked for it. It stays until a request succeeds. */
export interface Backoff {
  readonly until: number;
  readonly status: number;
  /** Until when the service may ban a key that sends: the end of the last wait that a 429 asked for, or 0. */
  readonly bannedUntil: number;
  /** When the last reply came that asked for it. */
  readonly since: number;
}

/** All that is known about the requests of one key. Times are ms since the reader's machine started. */
export interface LimiterState {
  windows: readonly QuotaWindow[];
  backoff: Backoff | undefined;
  /** How many refusals in a row there were, with no success in between. */
  strikes: number;
  /** By id, in the order in which they were requested. */
  readonly permits: Map<string, Permit>;
  nextExpiry: number;
  /** Requests that ended without a reply, the last one at `at`, but may have been counted by the service. */
  uncounted: { readonly count: number; readonly at: number };
  lastObserved: (Omit<ObservedLimits, "reset"> & { readonly at: number }) | undefined;
  /** When the last reply came, of any kind; -Infinity before the first. */
  repliedAt: number;
}

/** Returns what is known of a key before the first record. */
export function emptyState(): LimiterState {
  return {
    windows: [],
    backoff: undefined,
    strikes: 0,
    permits: new Map(),
    nextExpiry: Number.POSITIVE_INFINITY,
    uncounted: { count: 0, at: 0 },
    lastObserved: undefined,
    repliedAt: Number.NEGATIVE_INFINITY,
  };
}

/** A longer back-off is remembered as this. */
export const maxBackoffMs = 24 * 60 * 60_000;
