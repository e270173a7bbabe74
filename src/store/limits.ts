import { type Plan, unlimited } from "./plans.ts";

/** How long the windows are in which requests are counted, in ms. */
export interface WindowLengths {
  readonly minute: number;
  readonly day: number;
}

/** The windows of the service (api.md, Request rate). */
export const realWindows: WindowLengths = { minute: 60_000, day: 24 * 60 * 60_000 };

/** How long a ban lasts, in ms (store.md, Limits). */
const banLength = 10 * 60_000;
/** How many requests inside one announced Retry-After ban the key. */
const strikesToBan = 3;
/** Requests that come this soon after a 429, in ms, were on their way when it was sent (store.md, Limits). */
export const onTheWay = 250;

/** Requests counted in the window that is over at `end`. Moments are ms since the epoch. */
interface Count {
  readonly end: number;
  readonly requests: number;
}

/** A 429 that was sent at `at` and announced a wait until `until`; `early` came in the meantime. */
interface Refusal {
  readonly at: number;
  readonly until: number;
  readonly early: number;
}

/** All that is remembered of one key. */
export interface Usage {
  readonly minute: Count;
  readonly day: Count;
  readonly refusal?: Refusal;
  readonly bannedUntil?: number;
}

/** What the rate headers tell: counts of requests, and a moment in ms since the epoch. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

/** Whether a request is let through; where not, until when (ms since the epoch) the key has to wait. */
export type Decision =
  | { readonly allowed: true; readonly window: WindowState }
  | {
      readonly allowed: false;
      readonly window: WindowState;
      readonly code: "rate_limited" | "key_banned";
      readonly until: number;
    };

/** What is remembered of a key that was never seen. */
export const unused: Usage = {
  minute: { end: 0, requests: 0 },
  day: { end: 0, requests: 0 },
};

/**
 * Decides on one request of a key at `now` (ms since the epoch, by the store's clock), and answers
 * what is to be remembered (store.md, Limits): windows of a minute and a day, or of other lengths,
 * aligned to UTC; a request let through counts in both and a refused one in neither, and the third
 * inside one announced wait bans.
 */
export function admit(
  plan: Plan,
  usage: Usage,
  now: number,
  windows: WindowLengths = realWindows,
): [Decision, Usage] {
  const current = atMoment(usage, now, windows);
  if (current.bannedUntil !== undefined)
    return [banned(plan, current, current.bannedUntil), current];
  const full = exhaustedUntil(plan, current);
  if (full === undefined) return letThrough(plan, current);
  return refuse(plan, current, full, now);
}

/**
 * `usage` without what is over by `now` (ms since the epoch), or ends over a day ahead: then the
 * clock went back (store.md, Limits).
 */
export function atMoment(
  { minute, day, refusal, bannedUntil }: Usage,
  now: number,
  windows: WindowLengths = realWindows,
): Usage {
  const inForce = (until: number): boolean => until > now && until <= now + realWindows.day;
  return {
    minute: currentCount(minute, windows.minute, now),
    day: currentCount(day, windows.day, now),
    ...(refusal !== undefined && inForce(refusal.until) && { refusal }),
    ...(bannedUntil !== undefined && inForce(bannedUntil) && { bannedUntil }),
  };
}

function currentCount(count: Count, length: number, now: number): Count {
  const end = now - (now % length) + length;
  return count.end === end ? count : { end, requests: 0 };
}

/** When the windows that are used up are over, or undefined where none is. */
function exhaustedUntil(plan: Plan, usage: Usage): number | undefined {
  if (usage.day.requests >= plan.perDay) return usage.day.end;
  return usage.minute.requests >= plan.perMinute ? usage.minute.end : undefined;
}

/**
 * The window of a key as it stands at `now` (ms since the epoch), without another request, and
 * whether one would be let through.
 */
export function look(
  plan: Plan,
  usage: Usage,
  now: number,
  windows: WindowLengths = realWindows,
): { readonly window: WindowState; readonly isOpen: boolean } {
  const current = atMoment(usage, now, windows);
  const isOpen = current.bannedUntil === undefined && exhaustedUntil(plan, current) === undefined;
  return { window: nearestWindow(plan, current), isOpen };
}

function letThrough(plan: Plan, usage: Usage): [Decision, Usage] {
  const counted: Usage = {
    minute: { ...usage.minute, requests: usage.minute.requests + 1 },
    day: { ...usage.day, requests: usage.day.requests + 1 },
  };
  return [{ allowed: true, window: nearestWindow(plan, counted) }, counted];
}

function refuse(plan: Plan, usage: Usage, full: number, now: number): [Decision, Usage] {
  const announced = usage.refusal ?? { at: now, until: full, early: 0 };
  const early = usage.refusal !== undefined && now - announced.at > onTheWay;
  const refusal = { ...announced, until: full, early: announced.early + (early ? 1 : 0) };
  const { minute, day } = usage;
  if (refusal.early >= strikesToBan) {
    const bannedUntil = now + banLength;
    return [banned(plan, usage, bannedUntil), { minute, day, bannedUntil }];
  }
  const window = nearestWindow(plan, usage);
  const decision: Decision = { allowed: false, window, code: "rate_limited", until: full };
  return [decision, { minute, day, refusal }];
}

function banned(plan: Plan, usage: Usage, until: number): Decision {
  const window = nearestWindow(plan, usage);
  return { allowed: false, window, code: "key_banned", until };
}

/** The window with the fewest requests left; the day's where both have as many. */
function nearestWindow(plan: Plan, usage: Usage): WindowState {
  const ofMinute = windowState(plan.perMinute, usage.minute);
  const ofDay = windowState(plan.perDay, usage.day);
  return ofMinute.remaining < ofDay.remaining || plan.perDay === Infinity ? ofMinute : ofDay;
}

function windowState(limit: number, { end: resetAt, requests }: Count): WindowState {
  if (limit === Infinity) return { limit: unlimited, remaining: unlimited, resetAt };
  return { limit, remaining: Math.max(0, limit - requests), resetAt };
}
