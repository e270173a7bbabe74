import type { PlannedWait } from "../../../client/types.ts";
import { formatCount, plural } from "../../../core/format.ts";
import type { RowOutcome } from "../../../imports/types.ts";
import { openStatusLine, statusLineWidth } from "../../../output/status-line.ts";
import { formatLong } from "../../../output/text/format.ts";
import { createSleeper } from "../../../output/wait-notice.ts";
import type { Clock } from "../../../platform/io.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import {
  forecastLine,
  type ImportPace,
  isLengthPending,
  rateWindow,
  timeByLimits,
} from "./forecast.ts";
import { type DisplayContext, openRowWriter } from "./rows.ts";

/** The run whose progress is shown. */
export interface RunState {
  /** How many rows the input has. */
  readonly rows: number;
  /** How many of them this run still has to finish: send, or report again. */
  left: number;
  /** What it waits for now. */
  readonly waits: Set<PlannedWait>;
  /** Returns what is known about the rate limits. */
  readonly limits: () => LimiterStatus;
  readonly pace: ImportPace;
}

// `help output`: in a log, every 30 s.
const logEveryMs = 30_000;
const drawEveryMs = 200;
/** A wait or a check is shown if it takes longer than this, in ms (`help rate-limits`). */
const shownMs = 1000;

/** Shows a run while it lasts: its rows on standard output, its progress on standard error. */
export type RunDisplay = Awaited<ReturnType<typeof openRunDisplay>>;

/** Starts to show a run, whose waits `signal` ends. */
export async function openRunDisplay(
  context: DisplayContext,
  shown: Omit<RunState, "waits">,
  signal: AbortSignal,
) {
  const { stderr, env, settings } = context;
  const writer = await openRowWriter(context);
  const run: RunState = { ...shown, waits: new Set() };
  const forecast = forecastOnce(context, run);
  forecast();
  const dispose = showProgress(context, run);
  const hasBar = openStatusLine(stderr, env) !== undefined;
  const quiet = settings.quiet || (hasBar && !settings.verbose);
  const sleep = createSleeper({ ...context, settings: { ...settings, quiet } }, signal);
  return {
    /**
     * Shows how a row ended, within a few ms. While a returned promise is pending, nothing more may
     * be sent; it rejects if standard output cannot be written.
     */
    report: (end: RowOutcome): Promise<void> | void => {
      run.left -= 1;
      forecast();
      return writer.add(end);
    },
    /** The wait function of the run's requests, which shows waits on the bar if there is one. */
    wait: async (planned: PlannedWait): Promise<void> => {
      forecast(true);
      run.waits.add(planned);
      try {
        await sleep(planned);
      } finally {
        run.waits.delete(planned);
      }
    },
    /** Writes the rows that are left to show; `isWhole` means that the run reached its end. */
    close: (isWhole: boolean) => writer.close(isWhole),
    /** Clears the bar and shows no more progress. */
    dispose,
  };
}

/**
 * Returns a function that prints the forecast once, when the limits are known, if not all rows fit. It looks at them at
 * most once a second, and when the run waits.
 */
function forecastOnce({ stderr, settings, clock }: DisplayContext, run: RunState) {
  let lookAt = settings.quiet ? Infinity : 0;
  return (isWaiting = false): void => {
    if (lookAt === Infinity || (!isWaiting && clock.monotonic() < lookAt)) return;
    lookAt = clock.monotonic() + shownMs;
    const { left, pace } = run;
    const status = run.limits();
    const window = rateWindow(status, pace);
    if (window === undefined || isLengthPending(left, status, pace)) return;
    lookAt = Infinity;
    if (window.remaining < left)
      void stderr.write(`${forecastLine(left, status, pace, settings.maxWaitMs)}\n`);
  };
}

/**
 * Shows the progress of a run until the returned function is called: a bar at the bottom of a terminal, otherwise
 * a line every 30 s; nothing with `--quiet`.
 */
export function showProgress(context: DisplayContext, run: RunState): () => void {
  const { stderr, clock, env, settings } = context;
  if (settings.quiet) return () => {};
  const rateOf = rateSince(clock.monotonic(), run.left);
  const words = (): string => progressLine(run, rateOf(clock.monotonic(), run.left));
  const line = openStatusLine(stderr, env);
  if (line === undefined) return repeat(() => void stderr.write(`${words()}\n`), logEveryMs, clock);
  const draw = (): void => line.show(withBar(words(), run, statusLineWidth(stderr)));
  draw();
  const stop = repeat(draw, drawEveryMs, clock);
  return () => {
    stop();
    line.clear();
  };
}

/** Shows on a terminal how many rows of a large input have been checked, which `add` counts. */
export function showCheck({ stderr, clock, env, settings }: DisplayContext, file: string) {
  const line = settings.quiet ? undefined : openStatusLine(stderr, env);
  let drawAt = clock.monotonic() + shownMs;
  let checked = 0;
  const add = (rows: number): void => {
    checked += rows;
    if (clock.monotonic() < drawAt) return;
    drawAt = clock.monotonic() + drawEveryMs;
    line?.show(`checking ${file}: ${plural(checked, "row")}`);
  };
  return { add, close: () => line?.clear() };
}

/** In less time, in ms, a few rows say nothing about the rate. */
const minRateMs = 900;

/**
 * Returns a function that returns how many rows have ended in a ms since a run began, until the last one did; undefined
 * if that is not known yet.
 */
function rateSince(startedAt: number, atStart: number) {
  let [ended, rate]: [number, number | undefined] = [0, undefined];
  return (now: number, left: number): number | undefined => {
    const [ms, rows] = [now - startedAt, atStart - left];
    if (rows > ended && ms >= minRateMs) [ended, rate] = [rows, rows / ms];
    return rate;
  };
}

/** Returns the progress in words: rows done of all, the time left, and what the run waits for (`help import`). */
export function progressLine(run: RunState, rate: number | undefined): string {
  const { rows, left, limits, pace } = run;
  const status = limits();
  const ms = Math.max(timeByLimits(left, status, pace), rate === undefined ? 0 : left / rate);
  const isKnown = ms > 0 && (rate !== undefined || rateWindow(status) !== undefined);
  const isShown = isKnown && !isLengthPending(left, status, pace);
  const parts = [
    `${formatCount(rows - left)}/${formatCount(rows)}`,
    ...(isShown ? [`${formatTimeLeft(ms)} left`] : []),
    ...nextRows(run, status),
  ];
  return parts.join(" · ");
}

/** Returns a time for people, as inexact as an estimate: `25 s`, `4 min`, `2 h 5 min`, `3 d 4 h`. */
export function formatTimeLeft(ms: number): string {
  const unit = ms > 59_000 ? 60_000 : 1000;
  return formatLong(Math.ceil(ms / unit) * unit).replace(/m$/, "min");
}

/** Returns when the first of the waits that are shown ends, and what follows: nothing without any. */
function nextRows(run: RunState, status: LimiterStatus): readonly string[] {
  const shown = [...run.waits].filter(({ isOpenEnded, ms }) => !isOpenEnded && ms > shownMs);
  const [first] = shown.sort((a, b) => a.until - b.until);
  if (first === undefined) return [];
  const seconds = Math.ceil(Math.max(0, first.until - status.now) / 1000);
  const time = `in ${formatLong(seconds * 1000)}`;
  if (first.reason !== "limiter") return [`next ${time}`, first.what];
  const count = rowsAfterWait(run, status);
  return [count === undefined ? `next ${time}` : `next ${formatCount(count)} ${time}`];
}

/** Returns how many rows may be sent when a wait for the limit has ended (`help import`); undefined if that is unknown. */
function rowsAfterWait({ left, pace }: RunState, { condition }: LimiterStatus): number | undefined {
  if (condition?.reason !== "used_up" || pace.reserve) return undefined;
  const { limit, reserved = limit } = condition;
  return Math.min(left, reserved);
}

/** Calls `action` every `ms` until the returned function is called. */
function repeat(action: () => void, ms: number, clock: Clock): () => void {
  const end = new AbortController();
  const again = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(ms, end.signal);
      action();
    }
  };
  // The sleep rejects when it is aborted.
  again().catch(() => {});
  return () => end.abort();
}

const barCells = { min: 4, max: 30 } as const;

/** Returns the progress line for a terminal: a bar as long as the words leave room for, then as many of them as fit. */
export function withBar(
  words: string,
  { rows, left }: Pick<RunState, "rows" | "left">,
  room: number,
): string {
  const free = room - words.length - "[] ".length;
  const cells = Math.min(barCells.max, Math.max(barCells.min, free));
  const full = rows === 0 ? cells : Math.floor(((rows - left) / rows) * cells);
  return `[${"#".repeat(full)}${"-".repeat(cells - full)}] ${words}`;
}
