import { planAllowances, unlimited } from "../../../core/plans.ts";
import type { LimiterStatus } from "../../../rate-limiter/status.ts";
import {
  countAnimals,
  formatCount,
  formatFlagDuration,
  formatLong,
  formatMoment,
} from "../../../output/text/format.ts";
import { isStale } from "../../../output/limits.ts";

/** The window in which the service counts requests, as far as it tells. Times are in ms. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
  /** How long until its end, and how long each one lasts. */
  readonly endsIn: number;
  readonly length: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** By how much the end of a minute may seem further away than a minute: resets are told in seconds. */
const rounding = 2000;

/**
 * The window that `view` tells of; undefined where none is known, or it is over. There are windows of
 * a minute and of a day (api.md, Request rate): which it is shows in how far away its end is.
 */
export function windowOf(view: LimiterStatus): RateWindow | undefined {
  const { limit, remaining, resetAt, now } = view;
  if (limit === undefined || remaining === undefined || resetAt === undefined) return undefined;
  if (isStale(view) || limit < 1 || limit >= unlimited) return undefined;
  const endsIn = resetAt - now;
  return { limit, remaining, resetAt, endsIn, length: endsIn > minute + rounding ? day : minute };
}

/** How long, in ms, `rows` requests take that wait for their turn in `window`; 0 where they needn't. */
export function limitedDuration({ limit, remaining, endsIn, length }: RateWindow, rows: number) {
  const later = rows - remaining;
  return later <= 0 ? 0 : endsIn + (Math.ceil(later / limit) - 1) * length;
}

/** How many of `rows` requests are sent in the last window that they take; all, where they needn't wait. */
export function rowsInLastWindow({ limit, remaining }: RateWindow, rows: number): number {
  const later = rows - remaining;
  return later <= 0 ? rows : later - (Math.ceil(later / limit) - 1) * limit;
}

/**
 * What is told at the start where fewer requests remain than there are rows: how many, and the time
 * it will take (contract.md, Bulk, Outcomes); a line each, none where all fit.
 */
export function forecastLines(
  view: LimiterStatus,
  rows: number,
  maxWaitMs: number,
): readonly string[] {
  const window = windowOf(view);
  if (window === undefined || window.remaining >= rows) return [];
  const { limit, remaining, resetAt, length } = window;
  const until = formatMoment(resetAt, view.now);
  const more = remaining === 0 ? "no" : formatCount(remaining);
  const left = `${more} more ${remaining === 1 ? "request" : "requests"} until ${until}`;
  const then = `then ${formatCount(limit)} ${length === day ? "a day" : "a minute"}`;
  const time = formatLong(limitedDuration(window, rows));
  return [
    `The service allows ${left}, ${then}: ${countAnimals(rows)} ${rows === 1 ? "takes" : "take"} about ${time}.`,
    ...daysNote(window, rows),
    ...stopNote(window, maxWaitMs),
  ];
}

/** A plan's day may end before its minutes are enough. */
function daysNote({ limit, length }: RateWindow, rows: number): readonly string[] {
  const plans = Object.values(planAllowances);
  const daily =
    length === minute ? plans.find(({ perMinute }) => perMinute === limit)?.perDay : undefined;
  if (daily === undefined || rows <= daily) return [];
  const days = Math.ceil(rows / daily);
  const plan = `${formatCount(limit)} requests a minute and ${formatCount(daily)} a day`;
  return [`If your plan is the one of ${plan}, they take ${days} days.`];
}

/** A wait that does not fit `--max-wait` stops the run. */
function stopNote({ endsIn, remaining }: RateWindow, maxWaitMs: number): readonly string[] {
  if (endsIn <= maxWaitMs) return [];
  const when = remaining === 0 ? "now" : "when those are used up";
  const most = formatFlagDuration(maxWaitMs);
  return [
    `The run stops ${when}, as the wait is longer than --max-wait ${most}; give the same command again later.`,
  ];
}
