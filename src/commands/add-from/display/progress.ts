import type { PlannedWait } from "../../../client/types.ts";
import { formatCount, plural } from "../../../core/format.ts";
import { openStatusLine, statusLineWidth } from "../../../output/status-line.ts";
import { formatLong } from "../../../output/text/format.ts";
import type { Clock } from "../../../platform/io.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import { currentWaitMs, type ImportPace, rateWindow, timeLeft } from "./forecast.ts";
import type { DisplayContext } from "./rows.ts";

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

/**
 * Shows the progress of a run until the returned function is called: a bar at the bottom of a terminal, otherwise
 * a line every 30 s; nothing with `--quiet`.
 */
export function showProgress(context: DisplayContext, run: RunState): () => void {
  const { stderr, clock, env, settings } = context;
  if (settings.quiet) return () => {};
  const meter = rateMeter(clock.monotonic(), run.rows - run.left);
  const current = (): Progress => progressOf(run, meter, clock.monotonic());
  const line = openStatusLine(stderr, env);
  if (line === undefined)
    return repeat(() => void stderr.write(`${progressLine(current())}\n`), logEveryMs, clock);
  const draw = (): void => line.show(formatBar(current(), statusLineWidth(stderr)));
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

/** The period that a rate mostly depends on, in ms: the shortest window of the limits. */
const meteredMs = 60_000;
/** With less time, or with fewer rows lately, no rate is known. */
const minimum = { ms: 900, rows: 0.05 } as const;

/**
 * Returns a function that takes the time (monotonic, in ms) and how many rows have ended, and returns how many end
 * in a second, once that is known: a mean in which the last minute weighs most. Time does not count if every request
 * has to wait (`isHeld`) and no row ends.
 */
export function rateMeter(at: number, done: number) {
  let [weightedMs, weightedRows] = [0, 0];
  return (now: number, ended: number, isHeld: boolean): number | undefined => {
    const [ms, rows] = [now - at, ended - done];
    [at, done] = [now, ended];
    if (!isHeld || rows > 0) {
      const weight = Math.exp(-ms / meteredMs);
      weightedMs = weightedMs * weight + ms;
      weightedRows = weightedRows * weight + rows;
    }
    if (weightedMs < minimum.ms || weightedRows < minimum.rows) return undefined;
    return (weightedRows / weightedMs) * 1000;
  };
}

export interface Progress {
  /** All rows, and those that have ended, in this run or an earlier one. */
  readonly rows: number;
  readonly done: number;
  /** What else is told, the most important part first, each with its shorter variants. */
  readonly parts: readonly (readonly string[])[];
}

function progressOf(run: RunState, meter: ReturnType<typeof rateMeter>, now: number): Progress {
  const { rows, left, limits, pace } = run;
  const status = limits();
  const done = rows - left;
  const rate = meter(now, done, currentWaitMs(status) > 0);
  const ms = timeLeft(left, status, pace, rate);
  const isKnown = ms > 0 && (rate !== undefined || rateWindow(status) !== undefined);
  const time = isKnown ? [`${formatTimeLeft(ms)} left`] : [];
  return { rows, done, parts: [time, ...nextRows(run, status)] };
}

/** Returns a time for people, as inexact as an estimate: `25 s`, `4 min`, `2 h 5 min`, `3 d 4 h`. */
export function formatTimeLeft(ms: number): string {
  const unit = ms > 59_000 ? 60_000 : 1000;
  return formatLong(Math.ceil(ms / unit) * unit).replace(/m$/, "min");
}

/** Returns when the first of the waits that are shown ends, and what follows: nothing without any. */
function nextRows(run: RunState, status: LimiterStatus): Progress["parts"] {
  const shown = [...run.waits].filter(({ isOpenEnded, ms }) => !isOpenEnded && ms > shownMs);
  const [first] = shown.sort((a, b) => a.until - b.until);
  if (first === undefined) return [];
  const seconds = Math.ceil(Math.max(0, first.until - status.now) / 1000);
  const time = `in ${formatLong(seconds * 1000)}`;
  const count = first.reason === "limiter" ? rowsAfterWait(run, status) : undefined;
  if (count === undefined) return [[`next ${time}`], [first.what]];
  return [[`next ${formatCount(count)} ${time}`, `next ${time}`]];
}

/** Returns how many rows may be sent when a wait for the limit is over (`help bulk`); undefined if that is unknown. */
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

const barCells = { min: 10, max: 30 } as const;
const separator = " · ";

/**
 * Returns the progress line for a terminal, in `room` columns: less important parts are left out if they do
 * not fit, the time left last of all (`help bulk`).
 */
export function formatBar(progress: Progress, room: number): string {
  const { rows, done } = progress;
  const line = progressLine(progress, room);
  const cells = Math.min(barCells.max, room - line.length - "[] ".length);
  if (cells < barCells.min) return line;
  const full = rows === 0 ? cells : Math.floor((done / rows) * cells);
  return `[${"#".repeat(full)}${"-".repeat(cells - full)}] ${line}`;
}

/** Returns the progress in words, in `room` columns. */
export function progressLine({ rows, done, parts }: Progress, room = Infinity): string {
  let line = `${formatCount(done)}/${formatCount(rows)}`;
  for (const variants of parts) {
    const fits = variants.find((part) => line.length + separator.length + part.length <= room);
    if (fits !== undefined) line += separator + fits;
  }
  return line;
}
