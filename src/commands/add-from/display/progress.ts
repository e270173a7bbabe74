import type { LimiterStatus } from "../../../rate-limiter/status.ts";
import type { Clock, Output } from "../../../platform/io.ts";
import { formatBar, type Progress, progressLine } from "./progress-bar.ts";
import { type RateWindow, rateWindow } from "./forecast.ts";
import { currentWaitMs, projectWindow, RateMeter, timeLeft } from "./eta.ts";
import { type StatusLine, statusLineWidth, openStatusLine } from "../../../output/status-line.ts";

/** What the progress of a run is shown with. */
export interface ProgressOptions {
  readonly stderr: Output;
  readonly clock: Clock;
  /** Whether a line can be overwritten; otherwise a line is printed each 30 s. */
  readonly live: boolean;
  readonly rows: number;
  /** How many rows are to end in this run. */
  readonly left: number;
  /** Returns how many of these have ended. */
  readonly ended: () => number;
  /** Returns what is known of the rate limits. */
  readonly limits: () => LimiterStatus;
}

/** Shows the progress of a run while it lasts. */
export interface ProgressReporter {
  /** Shows waits; undefined if they are logged in lines of their own. */
  readonly waitLine: StatusLine | undefined;
  /** Ends it and clears the bar. */
  close(): void;
}

// contract.md, What goes where: in a log, each 30 s.
const logEveryMs = 30_000;
const drawEveryMs = 200;

/** Begins to show progress: a bar at the bottom of a terminal, otherwise a line each 30 s. */
export function openProgress(options: ProgressOptions): ProgressReporter {
  const { stderr, clock, live } = options;
  const current = progressSource(options);
  if (!live) {
    const log = (): void => void stderr.write(`${progressLine(current())}\n`);
    return { waitLine: undefined, close: repeat(log, logEveryMs, clock) };
  }
  const line = openStatusLine(stderr);
  let waiting: string | undefined;
  const draw = (): Promise<void> => {
    const progress = { ...current(), ...(waiting !== undefined && { waiting }) };
    return line.show(formatBar(progress, statusLineWidth(stderr)));
  };
  let isClosed = false;
  const show = async (text: string | undefined): Promise<void> => {
    waiting = text;
    if (!isClosed) await draw();
  };
  const waitLine = { show, clear: () => void show(undefined) };
  const stop = repeat(() => void draw(), drawEveryMs, clock);
  const close = (): void => {
    isClosed = true;
    stop();
    line.clear();
  };
  return { waitLine, close };
}

/** Returns a function that returns how far the run is now. */
function progressSource({ rows, left, ended, limits, clock }: ProgressOptions): () => Progress {
  const meter = new RateMeter(clock.monotonic());
  let last: RateWindow | undefined;
  return () => {
    const done = ended();
    const status = limits();
    const heldMs = currentWaitMs(status);
    const rate = meter.update(clock.monotonic(), done, heldMs > 0);
    const window = rateWindow(status);
    last = window ?? (last && projectWindow(last, status.now));
    const leftMs = timeLeft({ rows: left - done, rate, window: last, heldMs });
    return {
      rows,
      done: rows - left + done,
      ...(rate !== undefined && { rate }),
      ...(leftMs > 0 && { leftMs }),
      ...(window !== undefined && { limits: window }),
    };
  };
}

/** Calls `action` each `ms` until the returned function is called. */
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
