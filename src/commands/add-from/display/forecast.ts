import { unlimited } from "../../../core/api.ts";
import { formatLong, plural } from "../../../core/format.ts";
import { limitSentences } from "../../../output/rate-limit-report.ts";
import { isOpenEnded } from "../../../rate-limiter/rules/decision.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import type { FromOptions } from "../options.ts";

export type ImportPace = Pick<FromOptions, "reserve" | "rate">;

const minute = 60_000;
const day = 24 * 60 * minute;
/** How much the end of a minute may seem to exceed a minute, in ms: resets are in whole seconds. */
const resetToleranceMs = 2000;
/**
 * Returns the current window of the limits, without what the import leaves of it, when it ends, in ms from now, and how
 * long each is. If the last known one has ended, it is one like it with all of its requests; undefined if none is known,
 * or there is no limit. Windows are a minute or a day long, as the time until the end tells, unless shorter ones were
 * seen.
 */
function rateWindow(
  { now, limit = unlimited, remaining, resetAt, seenAt = now, windowMs = day }: LimiterStatus,
  { reserve = 0 }: ImportPace,
) {
  if (remaining === undefined || resetAt === undefined) return undefined;
  if (limit < 1 || limit >= unlimited) return undefined;
  const usual = resetAt - seenAt > minute + resetToleranceMs ? day : minute;
  const length = windowMs < usual - resetToleranceMs ? windowMs : usual;
  const reserved = Math.ceil((limit * reserve) / 100);
  const usable = { limit: Math.max(1, limit - reserved), length };
  const endsIn = resetAt - now;
  if (endsIn > 0) return { ...usable, remaining: Math.max(0, remaining - reserved), endsIn };
  return { ...usable, remaining: usable.limit, endsIn: length + (endsIn % length) };
}

/** Returns how long `rows` take at least by the limits and the pace, in ms (0 if unknown), and the current window if known. */
export function estimate(rows: number, status: LimiterStatus, pace: ImportPace) {
  const { condition } = status;
  const waitMs = condition !== undefined && !isOpenEnded(condition) ? condition.ms : 0;
  const unlimitedMs = Math.max(waitMs, Math.max(0, rows - 1) * (pace.rate ?? 0));
  const window = rateWindow(status, pace);
  if (window === undefined || rows <= window.remaining) return { ms: unlimitedMs, waitMs, window };
  const { limit, remaining, endsIn, length } = window;
  const fullWindows = Math.ceil((rows - remaining) / limit) - 1;
  return { ms: Math.max(unlimitedMs, endsIn + fullWindows * length), waitMs, window };
}

/** From so many rows on, what they took tells how long the others take. */
const enoughRows = 20;

/**
 * Returns how long the rows that are left take, in ms: at first as the limits say, later as those before them took, or
 * will have taken when the wait or the window ends that holds the others up. 0 if unknown.
 */
export function timeLeft(
  { done, left, elapsedMs }: Readonly<Record<"done" | "left" | "elapsedMs", number>>,
  status: LimiterStatus,
  pace: ImportPace,
): number {
  const { ms, waitMs, window } = estimate(left, status, pace);
  if (done < enoughRows) return ms;
  const isHeld = window !== undefined && left > window.remaining;
  const [heldMs, soon] = isHeld ? [Math.max(waitMs, window.endsIn), window.remaining] : [waitMs, 0];
  return Math.max(heldMs, ((elapsedMs + heldMs) * left) / (done + soon));
}

/** Returns a line on the limits, and on how long sending `rows` takes at them (`help import`); undefined if none are known. */
export function forecastLine(
  rows: number,
  { limiter: _shared, ...status }: LimiterStatus,
  pace: ImportPace,
  maxWaitMs: number,
): string | undefined {
  const { ms, window } = estimate(rows, status, pace);
  const isUnlimited = (status.limit ?? 0) >= unlimited;
  if (window === undefined && !isUnlimited && ms === 0) return undefined;
  const take = rows === 1 ? "takes" : "take";
  const time = ms > 0 ? `${take} at least ${formatLong(ms)}` : "can be sent without waiting";
  // A run waits for the end of a window no longer than that; the next run goes on.
  const isStopped = window !== undefined && window.remaining < rows && window.endsIn > maxWaitMs;
  const stop = `The run stops before that, as it waits ${formatLong(maxWaitMs)} at most (--max-wait).`;
  const sentences = [...limitSentences(status), `${plural(rows, "animal")} ${time}.`];
  return [...sentences, ...(isStopped ? [stop] : [])].join(" ");
}
