import { unlimited } from "../../../core/api.ts";
import { formatMoment } from "../../../core/format.ts";
import { isStale } from "../../../output/rate-limit-report.ts";
import { countAnimals } from "../../../output/text/format.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import { projectWindow } from "./eta.ts";
import {
  allows,
  daysNote,
  type ImportPace,
  limitedDuration,
  pacedDuration,
  perWindow,
  type RateWindow,
  rateWindow,
  requestsLeft,
  stopNote,
  takes,
} from "./forecast.ts";

/**
 * Returns the lines printed after `--dry-run` on how long sending `rows` would take at the known limits
 * (`help bulk`). `status` is undefined without an API key.
 */
export function dryRunForecast(
  status: LimiterStatus | undefined,
  rows: number,
  maxWaitMs: number,
  pace: ImportPace = {},
): readonly string[] {
  if (rows === 0) return [];
  if (status === undefined) return [`${unknownTime}.`];
  const window = rateWindow(status, pace) ?? nextWindow(status, pace);
  const allowance = describeAllowance(status, window, rows, pace);
  if (allowance === undefined)
    return [`${unknownTime}. Run \`pets limits --refresh\` to get them.`];
  const limitedMs = window === undefined ? 0 : limitedDuration(window, rows);
  const ms = Math.max(blockedMs(status), limitedMs, pacedDuration(rows, pace));
  const time = ms > 0 ? takes(rows, ms) : withoutWait(rows);
  const isLimited = window !== undefined && window.remaining < rows;
  return [
    `${allowance}: ${time}.`,
    ...(isLimited ? [...daysNote(window, rows), ...stopNote(window, maxWaitMs, "would stop")] : []),
  ];
}

const unknownTime = "No time estimate: the rate limits are not known yet";

const withoutWait = (rows: number): string =>
  `${countAnimals(rows)} ${rows === 1 ? "is" : "are"} sent without waiting`;

function blockedMs({ condition }: LimiterStatus): number {
  return condition?.reason === "blocked" ? condition.ms : 0;
}

/** Returns what the service allows, as the beginning of a sentence; undefined if that is not known. */
function describeAllowance(
  status: LimiterStatus,
  window: RateWindow | undefined,
  rows: number,
  pace: ImportPace,
): string | undefined {
  const { now, limit = 0 } = status;
  const blocked = blockedMs(status);
  if (blocked > 0) {
    const then = window === undefined ? "" : `, then ${perWindow(window)}`;
    return `The service accepts no requests until ${formatMoment(now + blocked, now)}${then}`;
  }
  if (limit >= unlimited) return "The service has no rate limit";
  if (window === undefined) return undefined;
  if (isStale(status)) return `${allows(pace)} ${perWindow(window, " requests")}`;
  const then = window.remaining < rows ? `, then ${perWindow(window)}` : "";
  return `${allows(pace)} ${requestsLeft(window, now)}${then}`;
}

/** Returns the window that a request would start if the last known one is over: it is like that one. */
function nextWindow(status: LimiterStatus, pace: ImportPace): RateWindow | undefined {
  const { seenAt, resetAt, now } = status;
  if (seenAt === undefined || resetAt === undefined || !isStale(status)) return undefined;
  const last = rateWindow({ ...status, now: seenAt }, pace);
  if (last === undefined) return undefined;
  return { ...projectWindow(last, now), endsIn: last.length };
}
