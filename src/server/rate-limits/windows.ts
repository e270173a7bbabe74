import { unlimited } from "../../core/api.ts";
import type { WindowState } from "../api/response.ts";
import { defaultWindows, type Plan, type WindowLengths } from "./plans.ts";

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
