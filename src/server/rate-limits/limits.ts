import { unlimited } from "../../core/api.ts";
import type { WindowState } from "../api/response.ts";
import { dayMs, minuteMs, type Plan, type Quota } from "./plans.ts";

const earlyRequestsToBan = 3;
/** Requests that arrive this soon after a 429 were already sent. */
export const inFlightGraceMs = 250;
export const defaultBanMs = 10 * 60_000;

/** Returns whether a request may have been sent before its client knew of a 429 that was sent `at` a time. */
export function isOnItsWay(arrivedAt: number, at: number, graceMs = inFlightGraceMs): boolean {
  return arrivedAt <= at + graceMs;
}

/** The requests in the window that ends at `end` (ms since the epoch). */
interface Count {
  readonly end: number;
  readonly requests: number;
}

/** What is stored for one key; times are ms since the epoch. */
export interface Usage {
  /** One for each quota of the key's plan, in their order. */
  readonly counts: readonly Count[];
  /** A 429 that was sent at `at` and announced a wait until `until`; `early` requests arrived since. */
  readonly refusal?: { readonly at: number; readonly until: number; readonly early: number };
  readonly bannedUntil?: number;
}

/** A request that is not admitted, and when its key may send again (ms since the epoch). */
export interface Refusal {
  readonly allowed: false;
  readonly window: WindowState;
  readonly code: "rate_limited" | "key_banned";
  readonly until: number;
}

/** Whether a request is admitted, and the window that its response shows. */
export type AdmissionDecision = { readonly allowed: true; readonly window: WindowState } | Refusal;

export const emptyUsage: Usage = { counts: [] };

/**
 * Decides on one request of a key, and returns the new usage: windows are aligned to UTC; an admitted request counts
 * towards every quota, a refused one towards none; the third request in one announced wait bans the key. `isEarly` is
 * whether it broke an announced wait, where more is known of that than when it was decided. Times are of one clock.
 */
export function admit(
  plan: Plan,
  usage: Usage,
  { arrivedAt, now }: { readonly arrivedAt: number; readonly now: number },
  banMs = defaultBanMs,
  isEarly?: boolean,
): [AdmissionDecision, Usage] {
  const current = pruneExpired(usage, now, plan.quotas);
  const { counts, bannedUntil, refusal } = current;
  const refuse = (code: Refusal["code"], until: number, after: Usage): [Refusal, Usage] => [
    { allowed: false, window: tightestWindow(plan, counts), code, until },
    after,
  ];
  if (bannedUntil !== undefined) return refuse("key_banned", bannedUntil, current);
  const full = exhaustedUntil(plan, counts);
  if (full === undefined) {
    const counted = counts.map(({ end, requests }) => ({ end, requests: requests + 1 }));
    const window = tightestWindow(plan, counted);
    return [
      { allowed: true, window },
      { ...current, counts: counted },
    ];
  }
  const { at, early: earlier } = refusal ?? { at: now, early: 0 };
  const isStrike = refusal !== undefined && (isEarly ?? !isOnItsWay(arrivedAt, at));
  const early = earlier + (isStrike ? 1 : 0);
  if (early < earlyRequestsToBan)
    return refuse("rate_limited", full, { counts, refusal: { at, until: full, early } });
  const until = now + banMs;
  return refuse("key_banned", until, { counts, bannedUntil: until });
}

/** Returns what of a usage is in force: an end over a day ahead means that the clock was set back. */
export function pruneExpired(
  { counts, refusal, bannedUntil }: Usage,
  now: number,
  quotas?: readonly Quota[],
): Usage {
  const inForce = (until: number): boolean => until > now && until <= now + dayMs;
  return {
    counts:
      quotas?.map(({ windowMs }, at) => currentCount(counts[at], windowMs, now)) ??
      counts.map((count) => (inForce(count.end) ? count : { end: 0, requests: 0 })),
    ...(refusal && inForce(refusal.until) && { refusal }),
    ...(bannedUntil !== undefined && inForce(bannedUntil) && { bannedUntil }),
  };
}

/** Returns the window of a key at `now` (ms since the epoch), and whether another request would be admitted. */
export function peek(plan: Plan, usage: Usage, now: number) {
  const { counts, bannedUntil } = pruneExpired(usage, now, plan.quotas);
  const isOpen = bannedUntil === undefined && exhaustedUntil(plan, counts) === undefined;
  return { window: tightestWindow(plan, counts), isOpen };
}

function currentCount(count: Count | undefined, windowMs: number, now: number): Count {
  const end = now - (now % windowMs) + windowMs;
  return count?.end === end ? count : { end, requests: 0 };
}

/** Returns when the longest exhausted window ends, or undefined if none is exhausted. */
function exhaustedUntil({ quotas }: Plan, counts: readonly Count[]): number | undefined {
  return counts.findLast(({ requests }, at) => requests >= (quotas[at]?.limit ?? Infinity))?.end;
}

/** Returns the window with the fewest requests left; of two with as many the longer one, unless it has no limit. */
function tightestWindow({ quotas }: Plan, counts: readonly Count[]): WindowState {
  return counts
    .map((count, at) => windowState(quotas[at]?.limit ?? Infinity, count))
    .reduce((tightest, other) =>
      other.limit < unlimited && other.remaining <= tightest.remaining ? other : tightest,
    );
}

/** Returns the window of a request that counts towards no limit, at `now` (ms since the epoch). */
export function unlimitedWindow(now: number): WindowState {
  return windowState(Infinity, currentCount(undefined, minuteMs, now));
}

function windowState(limit: number, { end: resetAt, requests }: Count): WindowState {
  if (limit === Infinity) return { limit: unlimited, remaining: unlimited, resetAt };
  return { limit, remaining: Math.max(0, limit - requests), resetAt };
}
