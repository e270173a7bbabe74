import { planAllowances, unlimited } from "../../../core/api.ts";
import { formatCount, formatMoment } from "../../../core/format.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import { countAnimals, formatFlagDuration, formatLong } from "../../../output/text/format.ts";
import { isStale } from "../../../output/rate-limit-report.ts";

/** A rate-limit window as the service announced it. Times are in ms. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
  /** Time until its end, and the length of each window. */
  readonly endsIn: number;
  readonly length: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** How much the end of a minute may seem to exceed a minute, in ms: resets are in whole seconds. */
const resetToleranceMs = 2000;

/** How fast an import may go besides the limits. */
export interface ImportPace {
  /** The part of each window that it leaves, in percent. */
  readonly reserve?: number;
  /** The least time between two rows, in ms. */
  readonly rate?: number;
}

/**
 * Returns the last known window, without what the import leaves of it; undefined if there is none, it is over, or there is no limit. Windows
 * are a minute or a day long: the time until the end tells which.
 */
export function rateWindow(
  status: LimiterStatus,
  { reserve = 0 }: ImportPace = {},
): RateWindow | undefined {
  const { limit, remaining, resetAt, now } = status;
  if (limit === undefined || remaining === undefined || resetAt === undefined) return undefined;
  if (isStale(status) || limit < 1 || limit >= unlimited) return undefined;
  const endsIn = resetAt - now;
  const reserved = Math.ceil((limit * reserve) / 100);
  return {
    limit: Math.max(1, limit - reserved),
    remaining: Math.max(0, remaining - reserved),
    resetAt,
    endsIn,
    length: endsIn > minute + resetToleranceMs ? day : minute,
  };
}

/** Returns how long `rows` requests take because of the limit, in ms; 0 if all fit into this window. */
export function limitedDuration({ limit, remaining, endsIn, length }: RateWindow, rows: number) {
  const later = rows - remaining;
  return later <= 0 ? 0 : endsIn + (Math.ceil(later / limit) - 1) * length;
}

/** Returns how many of `rows` requests are sent in the last window that they need; all if they fit into this one. */
export function rowsInLastWindow({ limit, remaining }: RateWindow, rows: number): number {
  const later = rows - remaining;
  return later <= 0 ? rows : later - (Math.ceil(later / limit) - 1) * limit;
}

/**
 * Returns the lines printed at the start if fewer requests remain than there are rows: how many, and
 * how long the run will take (`help bulk`). None if all fit.
 */
export function forecastLines(
  status: LimiterStatus,
  rows: number,
  maxWaitMs: number,
  pace: ImportPace = {},
): readonly string[] {
  const window = rateWindow(status, pace);
  if (window === undefined || window.remaining >= rows) return [];
  const time = Math.max(limitedDuration(window, rows), pacedDuration(rows, pace));
  return [
    `${allows(pace)} ${requestsLeft(window, status.now)}, then ${perWindow(window)}: ${takes(rows, time)}.`,
    ...daysNote(window, rows),
    ...stopNote(window, maxWaitMs),
  ];
}

/** Returns how long `rows` take at the pace of `--rate`, in ms. */
export const pacedDuration = (rows: number, { rate = 0 }: ImportPace): number =>
  Math.max(0, rows - 1) * rate;

/** Returns who decides how many requests may be sent, as the beginning of a sentence. */
export const allows = ({ reserve = 0 }: ImportPace): string =>
  reserve === 0 ? "The service allows" : `A reserve of ${reserve}% leaves`;

/** Returns how many requests are left of the current window: `57 more requests until 12:00:30`. */
export function requestsLeft({ remaining, resetAt }: RateWindow, now: number): string {
  const more = remaining === 0 ? "no" : formatCount(remaining);
  const until = formatMoment(resetAt, now);
  return `${more} more ${remaining === 1 ? "request" : "requests"} until ${until}`;
}

/** Returns how many requests each window allows: `60 per minute`. */
export function perWindow({ limit, length }: RateWindow, unit = ""): string {
  return `${formatCount(limit)}${unit} ${length === day ? "per day" : "per minute"}`;
}

/** Returns how long sending takes: `600 animals take at least 9 m 30 s`. */
export function takes(rows: number, ms: number): string {
  return `${countAnimals(rows)} ${rows === 1 ? "takes" : "take"} at least ${formatLong(ms)}`;
}

/** Returns a note if the daily limit may be lower than what the minutes allow. */
export function daysNote({ limit, length }: RateWindow, rows: number): readonly string[] {
  const plans = Object.values(planAllowances);
  const daily =
    length === minute ? plans.find(({ perMinute }) => perMinute === limit)?.perDay : undefined;
  if (daily === undefined || rows <= daily) return [];
  const days = Math.ceil(rows / daily);
  const plan = `${formatCount(limit)} requests per minute and ${formatCount(daily)} per day`;
  return [`If your plan allows ${plan}, this takes ${days} days.`];
}

/** Returns a note if a wait longer than `--max-wait` will stop the run. */
export function stopNote(
  { endsIn, remaining }: RateWindow,
  maxWaitMs: number,
  stops: "stops" | "would stop" = "stops",
): readonly string[] {
  if (endsIn <= maxWaitMs) return [];
  const when = remaining === 0 ? "now" : "when those are used up";
  const most = formatFlagDuration(maxWaitMs);
  return [
    `The run ${stops} ${when}, because the wait exceeds --max-wait ${most}; run the same command again later.`,
  ];
}
