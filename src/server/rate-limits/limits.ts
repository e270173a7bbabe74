import { unlimited } from "../../core/api.ts";
import type { WindowState } from "../api/response.ts";
import { defaultWindows, type Plan, type WindowLengths } from "./plans.ts";

/** How many requests during one announced Retry-After get the key banned. */
const earlyRequestsToBan = 3;
/** Requests that arrive this soon after a 429, in ms, were already sent. */
export const inFlightGraceMs = 250;

/** How long a ban lasts unless told otherwise, in ms. */
export const defaultBanMs = 10 * 60_000;

/** A 429 that was sent at `at` and announced a wait until `until`; `early` requests arrived since. */
interface AnnouncedWait {
  readonly at: number;
  readonly until: number;
  readonly early: number;
}

/** Requests counted in the window that is over at `end`. Times are ms since the epoch. */
interface Count {
  readonly end: number;
  readonly requests: number;
}

/** The counts of one key, in the shorter and in the longer window. */
export interface Counts {
  readonly minute: Count;
  readonly day: Count;
}

/** What is stored for one key. */
export interface Usage extends Counts {
  readonly refusal?: AnnouncedWait | undefined;
  readonly bannedUntil?: number | undefined;
}

/** A request that is not admitted, and when its key may send again (ms since the epoch). */
export interface Refusal {
  readonly allowed: false;
  readonly window: WindowState;
  readonly code: "rate_limited" | "key_banned";
  readonly until: number;
  /** Whether the request arrived during a Retry-After. */
  readonly isEarly: boolean;
}

/** Whether a request is admitted, and the window that its response shows. */
export type AdmissionDecision = { readonly allowed: true; readonly window: WindowState } | Refusal;

/** The usage of a key without requests. */
export const emptyUsage: Usage = {
  minute: { end: 0, requests: 0 },
  day: { end: 0, requests: 0 },
};

/**
 * Decides on one request of a key at `now` (ms since the epoch, by the store's clock), and returns
 * the new usage: windows of a minute and a day, or of other lengths, are aligned to
 * UTC; an admitted request counts in both, a refused one in neither; the third request during one
 * announced wait bans the key. `isPastGrace` is whether the request came later than 250 ms after the response that
 * announced a wait, where that is known better than by `now`.
 */
export function admit(
  plan: Plan,
  usage: Usage,
  now: number,
  banMs = defaultBanMs,
  isPastGrace?: boolean,
): [AdmissionDecision, Usage] {
  const current = pruneExpired(usage, now, plan.windows);
  const { minute, day, bannedUntil, refusal } = current;
  const isEarlyAfter = (at: number): boolean => isPastGrace ?? now - at > inFlightGraceMs;
  const refuse = (code: Refusal["code"], until: number, isEarly: boolean): Refusal => ({
    allowed: false,
    window: tightestWindow(plan, current),
    code,
    until,
    isEarly,
  });
  if (bannedUntil !== undefined)
    return [refuse("key_banned", bannedUntil, isEarlyAfter(bannedUntil - banMs)), current];
  const full = exhaustedUntil(plan, current);
  if (full === undefined) return allow(plan, current);
  const announced = { at: now, early: 0, ...refusal, until: full };
  const isEarly = refusal !== undefined && isEarlyAfter(announced.at);
  const early = announced.early + (isEarly ? 1 : 0);
  if (early < earlyRequestsToBan)
    return [
      refuse("rate_limited", full, isEarly),
      { minute, day, refusal: { ...announced, early } },
    ];
  const until = now + banMs;
  return [refuse("key_banned", until, isEarly), { minute, day, bannedUntil: until }];
}

/**
 * Returns `usage` without what is over at `now` (ms since the epoch), and without what ends over a day
 * ahead, which means that the clock was set back. Without the lengths of its windows, only what is in
 * force is kept.
 */
export function pruneExpired(usage: Usage, now: number, windows?: WindowLengths): Usage {
  const { refusal, bannedUntil } = usage;
  const inForce = (until = now): boolean => until > now && until <= now + defaultWindows.day;
  const unfinished = (count: Count): Count => (inForce(count.end) ? count : emptyUsage.minute);
  const { minute, day } = windows === undefined ? usage : currentCounts(usage, now, windows);
  return {
    minute: unfinished(minute),
    day: unfinished(day),
    refusal: inForce(refusal?.until) ? refusal : undefined,
    bannedUntil: inForce(bannedUntil) ? bannedUntil : undefined,
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
): { readonly window: WindowState; readonly isOpen: boolean } {
  const current = pruneExpired(usage, now, plan.windows);
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

/** Returns `counts` at `now` (ms since the epoch): a new window starts at zero. */
export function currentCounts(
  { minute, day }: Counts,
  now: number,
  windows: WindowLengths,
): Counts {
  return {
    minute: currentCount(minute, windows.minute, now),
    day: currentCount(day, windows.day, now),
  };
}

function currentCount(count: Count, length: number, now: number): Count {
  const end = now - (now % length) + length;
  return count.end === end ? count : { end, requests: 0 };
}

/** Returns when the exhausted windows are over, or undefined if none is exhausted. */
export function exhaustedUntil(plan: Plan, { minute, day }: Counts): number | undefined {
  if (day.requests >= plan.perDay) return day.end;
  return minute.requests >= plan.perMinute ? minute.end : undefined;
}

/** Returns the window with the fewest requests left; the day's if both have as many. */
export function tightestWindow(plan: Plan, counts: Counts): WindowState {
  const ofMinute = windowState(plan.perMinute, counts.minute);
  const ofDay = windowState(plan.perDay, counts.day);
  return ofMinute.remaining < ofDay.remaining || plan.perDay === Infinity ? ofMinute : ofDay;
}

/** Returns the window of a request that counts towards no limit, at `now` (ms since the epoch). */
export function unlimitedWindow(now: number): WindowState {
  return windowState(Infinity, currentCount({ end: 0, requests: 0 }, defaultWindows.minute, now));
}

function windowState(limit: number, { end: resetAt, requests }: Count): WindowState {
  if (limit === Infinity) return { limit: unlimited, remaining: unlimited, resetAt };
  return { limit, remaining: Math.max(0, limit - requests), resetAt };
}
