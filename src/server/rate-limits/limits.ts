import type { Plan } from "./plans.ts";
import {
  type Counts,
  currentCounts,
  exhaustedUntil,
  tightestWindow,
  defaultWindows,
  type WindowLengths,
  type WindowState,
} from "./windows.ts";

/** How long a ban lasts, in ms (store.md, Limits). */
const banMs = 10 * 60_000;
/** How many requests during one announced Retry-After get the key banned. */
const earlyRequestsToBan = 3;
/** Requests that arrive this soon after a 429, in ms, were already sent (store.md, Limits). */
export const inFlightGraceMs = 250;

/**
 * A 429 that was sent at `at` and announced a wait until `until`; `early` requests arrived since.
 */
interface AnnouncedWait {
  readonly at: number;
  readonly until: number;
  readonly early: number;
}

/** What is stored for one key. */
export interface Usage extends Counts {
  readonly refusal?: AnnouncedWait;
  readonly bannedUntil?: number;
}

/** Whether a request is admitted; if not, when the key may send again (ms since the epoch). */
export type AdmissionDecision =
  | { readonly allowed: true; readonly window: WindowState }
  | {
      readonly allowed: false;
      readonly window: WindowState;
      readonly code: "rate_limited" | "key_banned";
      readonly until: number;
      /** Whether the request arrived during a Retry-After. */
      readonly isEarly: boolean;
    };

/** The usage of a key without requests. */
export const emptyUsage: Usage = {
  minute: { end: 0, requests: 0 },
  day: { end: 0, requests: 0 },
};

/**
 * Decides on one request of a key at `now` (ms since the epoch, by the store's clock), and returns
 * the new usage (store.md, Limits): windows of a minute and a day, or of other lengths, are aligned to
 * UTC; an admitted request counts in both, a refused one in neither; the third request during one
 * announced wait bans the key.
 */
export function admit(
  plan: Plan,
  usage: Usage,
  now: number,
  windows: WindowLengths = defaultWindows,
): [AdmissionDecision, Usage] {
  const current = pruneExpired(usage, now, windows);
  if (current.bannedUntil !== undefined) {
    const isEarly = now - (current.bannedUntil - banMs) > inFlightGraceMs;
    return [banned(plan, current, current.bannedUntil, isEarly), current];
  }
  const full = exhaustedUntil(plan, current);
  if (full === undefined) return allow(plan, current);
  return reject(plan, current, full, now);
}

/**
 * Returns `usage` without what is over at `now` (ms since the epoch), and without what ends over a day
 * ahead, which means that the clock was set back (store.md, Limits).
 */
export function pruneExpired(
  { refusal, bannedUntil, ...counts }: Usage,
  now: number,
  windows: WindowLengths = defaultWindows,
): Usage {
  const inForce = (until: number): boolean => until > now && until <= now + defaultWindows.day;
  return {
    ...currentCounts(counts, now, windows),
    ...(refusal !== undefined && inForce(refusal.until) && { refusal }),
    ...(bannedUntil !== undefined && inForce(bannedUntil) && { bannedUntil }),
  };
}

/**
 * Returns the window of a key at `now` (ms since the epoch), without another request, and whether
 * one would be admitted.
 */
export function peek(
  plan: Plan,
  usage: Usage,
  now: number,
  windows: WindowLengths = defaultWindows,
): { readonly window: WindowState; readonly isOpen: boolean } {
  const current = pruneExpired(usage, now, windows);
  const isOpen = current.bannedUntil === undefined && exhaustedUntil(plan, current) === undefined;
  return { window: tightestWindow(plan, current), isOpen };
}

function allow(plan: Plan, usage: Usage): [AdmissionDecision, Usage] {
  const counted: Usage = {
    minute: { ...usage.minute, requests: usage.minute.requests + 1 },
    day: { ...usage.day, requests: usage.day.requests + 1 },
  };
  return [{ allowed: true, window: tightestWindow(plan, counted) }, counted];
}

function reject(plan: Plan, usage: Usage, full: number, now: number): [AdmissionDecision, Usage] {
  const announced = usage.refusal ?? { at: now, until: full, early: 0 };
  const isEarly = usage.refusal !== undefined && now - announced.at > inFlightGraceMs;
  const refusal = { ...announced, until: full, early: announced.early + (isEarly ? 1 : 0) };
  const { minute, day } = usage;
  if (refusal.early >= earlyRequestsToBan) {
    const bannedUntil = now + banMs;
    return [banned(plan, usage, bannedUntil, isEarly), { minute, day, bannedUntil }];
  }
  const window = tightestWindow(plan, usage);
  const code = "rate_limited";
  return [
    { allowed: false, window, code, until: full, isEarly },
    { minute, day, refusal },
  ];
}

function banned(plan: Plan, usage: Usage, until: number, isEarly: boolean): AdmissionDecision {
  const window = tightestWindow(plan, usage);
  return { allowed: false, window, code: "key_banned", until, isEarly };
}
