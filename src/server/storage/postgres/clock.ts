import type { WindowState } from "../../api/response.ts";
import type { AdmissionDecision, Usage } from "../../rate-limits/limits.ts";

/**
 * Reads the database's clock, in ms since the epoch. A separate statement after the one that locks, so
 * that the clock is read while the lock is held.
 */
export const readClock = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;

/** The same moment by two clocks, in ms since the epoch. */
export interface ClockReading {
  readonly database: number;
  readonly store: number;
}

/**
 * The longest time that a request can have waited for a decision, in ms: longer than any statement may
 * take. If it seems to be more, the store's clock has been set in the meantime.
 */
const maxQueuedMs = 8_000;

/** Returns when a request arrived by the database's clock; `arrival` is by the store's. */
export function toDatabaseTime(arrival: number, { database, store }: ClockReading): number {
  return database - Math.min(Math.max(0, store - arrival), maxQueuedMs);
}

/**
 * Returns `decision` with its times by the store's clock, which the `Date` header of the reply goes by.
 */
export function toStoreDecision(
  decision: AdmissionDecision,
  reading: ClockReading,
): AdmissionDecision {
  const window = toStoreWindow(decision.window, reading);
  if (decision.allowed) return { ...decision, window };
  return { ...decision, window, until: decision.until + offsetOf(reading) };
}

/**
 * Returns `window` with its end by the store's clock. Both headers count whole seconds; the latency of
 * the database must not move the end of a minute to the next second.
 */
export function toStoreWindow(window: WindowState, reading: ClockReading): WindowState {
  const seconds = Math.round(offsetOf(reading) / 1000);
  return { ...window, resetAt: window.resetAt + seconds * 1000 };
}

/** Returns `usage` with its times by the store's clock, like `toStoreWindow`. */
export function toStoreUsage(usage: Usage, reading: ClockReading): Usage {
  const offset = Math.round(offsetOf(reading) / 1000) * 1000;
  const { counts, refusal, bannedUntil } = usage;
  return {
    counts: counts.map(({ end, requests }) => ({ end: end + offset, requests })),
    refusal: refusal && { ...refusal, at: refusal.at + offset, until: refusal.until + offset },
    bannedUntil: bannedUntil && bannedUntil + offset,
  };
}

function offsetOf({ database, store }: ClockReading): number {
  return store - database;
}
