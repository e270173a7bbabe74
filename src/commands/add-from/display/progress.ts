import type { PlannedWait } from "../../../client/types.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import type { Clock, Output } from "../../../platform/io.ts";
import { formatBar, type NextRows, type Progress, progressLine } from "./progress-bar.ts";
import { type ImportPace, type RateWindow, rateWindow } from "./forecast.ts";
import { currentWaitMs, projectWindow, RateMeter, rowsAfterWait, timeLeft } from "./eta.ts";
import { statusLineWidth, openStatusLine } from "../../../output/status-line.ts";

/** What showing the progress of a run needs. */
export interface ProgressOptions {
  readonly stderr: Output;
  readonly clock: Clock;
  /** Whether a line can be overwritten; otherwise a line is printed every 30 s. */
  readonly live: boolean;
  readonly rows: number;
  /** How many rows this run has to finish. */
  readonly left: number;
  /** Returns how many of them have ended. */
  readonly ended: () => number;
  /** Returns what is known about the rate limits. */
  readonly limits: () => LimiterStatus;
  readonly pace?: ImportPace;
}

/** Shows the progress of a run while it lasts. */
export interface ProgressReporter {
  /** Shows when the next rows are sent, until the returned function is called. */
  showWait(wait: PlannedWait): () => void;
  /** Ends it and clears the bar. */
  close(): void;
}

// `help output`: in a log, every 30 s.
const logEveryMs = 30_000;
const drawEveryMs = 200;
/** A wait is shown if it is longer than this, in ms (`help rate-limits`). */
const shownWaitMs = 1000;

/** Starts to show progress: a bar at the bottom of a terminal, otherwise a line every 30 s. */
export function openProgress(options: ProgressOptions): ProgressReporter {
  const { stderr, clock, live } = options;
  const waits = new Set<ShownWait>();
  const current = progressSource(options, waits);
  const showWait = (planned: PlannedWait): (() => void) => {
    if (planned.isOpenEnded || planned.ms <= shownWaitMs) return () => {};
    const wait = { planned, endsAt: clock.monotonic() + planned.ms };
    waits.add(wait);
    return () => void waits.delete(wait);
  };
  if (!live) {
    const log = (): void => void stderr.write(`${progressLine(current())}\n`);
    return { showWait, close: repeat(log, logEveryMs, clock) };
  }
  const line = openStatusLine(stderr);
  const draw = (): void => void line.show(formatBar(current(), statusLineWidth(stderr)));
  draw();
  const stop = repeat(draw, drawEveryMs, clock);
  const close = (): void => {
    stop();
    line.clear();
  };
  return { showWait, close };
}

/** A wait of the run, and its end, in monotonic ms. */
interface ShownWait {
  readonly planned: PlannedWait;
  readonly endsAt: number;
}

/** Returns a function that returns the current progress of the run, and what it waits for. */
function progressSource(
  { rows, left, ended, limits, clock, pace = {} }: ProgressOptions,
  waits: ReadonlySet<ShownWait>,
): () => Progress {
  const meter = new RateMeter(clock.monotonic());
  let last: RateWindow | undefined;
  return () => {
    const done = ended();
    const status = limits();
    const heldMs = currentWaitMs(status);
    const rate = meter.update(clock.monotonic(), done, heldMs > 0);
    const window = rateWindow(status, pace);
    last = window ?? (last && projectWindow(last, status.now));
    const leftMs = timeLeft({ rows: left - done, rate, window: last, heldMs });
    const wait = nextToEnd(waits);
    const count = pace.reserve ? undefined : rowsAfterWait(status, last, left - done);
    return {
      rows,
      done: rows - left + done,
      ...(rate !== undefined && { rate }),
      ...(leftMs > 0 && { leftMs }),
      ...(wait && { next: nextRows(wait, clock.monotonic(), count) }),
    };
  };
}

function nextToEnd(waits: ReadonlySet<ShownWait>): ShownWait | undefined {
  return [...waits].sort((a, b) => a.endsAt - b.endsAt)[0];
}

function nextRows(
  { planned, endsAt }: ShownWait,
  now: number,
  count: number | undefined,
): NextRows {
  const inMs = Math.max(0, endsAt - now);
  if (planned.reason === "limiter" && count !== undefined) return { inMs, count };
  return { inMs, why: planned.what };
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
