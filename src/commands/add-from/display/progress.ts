import type { LimiterStatus } from "../../../rate-limiter/status.ts";
import type { Clock, Output } from "../../../platform/io.ts";
import { formatBar, type Progress, progressLine } from "./progress-bar.ts";
import { type RateWindow, windowOf } from "./forecast.ts";
import { currentWaitMs, projectWindow, RateMeter, timeLeft } from "./eta.ts";
import { type StatusLine, statusLineWidth, openLiveLine } from "../../../output/status-line.ts";

/** What it takes to show how far a run is. */
export interface ProgressOptions {
  readonly stderr: Output;
  readonly clock: Clock;
  /** Whether a line may be written over; else a line is written each 30 s. */
  readonly live: boolean;
  readonly rows: number;
  /** How many rows are to end in this run. */
  readonly left: number;
  /** How many of these have ended. */
  readonly ended: () => number;
  /** What is known of the limits. */
  readonly view: () => LimiterStatus;
}

/** Shows how far a run is, while it lasts. */
export interface ProgressReporter {
  /** Where waits are shown; undefined where they are told in lines of their own. */
  readonly waitLine: StatusLine | undefined;
  /** Ends it, and wipes the bar. */
  close(): void;
}

// contract.md, What goes where: in a log, each 30 s.
const logEvery = 30_000;
const drawEvery = 200;

/** Begins to show how far a run is: on a terminal a bar at its bottom, else a line now and then. */
export function openProgress(options: ProgressOptions): ProgressReporter {
  const { stderr, clock, live } = options;
  const follow = progressSource(options);
  if (!live) {
    const tell = (): void => void stderr.write(`${progressLine(follow())}\n`);
    return { waitLine: undefined, close: repeat(tell, logEvery, clock) };
  }
  const line = openLiveLine(stderr);
  let waiting: string | undefined;
  const draw = (): Promise<void> => {
    const progress = { ...follow(), ...(waiting !== undefined && { waiting }) };
    return line.show(formatBar(progress, statusLineWidth(stderr)));
  };
  let isClosed = false;
  const show = async (text: string | undefined): Promise<void> => {
    waiting = text;
    if (!isClosed) await draw();
  };
  const waitLine = { show, clear: () => void show(undefined) };
  const stop = repeat(() => void draw(), drawEvery, clock);
  const close = (): void => {
    isClosed = true;
    stop();
    line.clear();
  };
  return { waitLine, close };
}

function progressSource({ rows, left, ended, view, clock }: ProgressOptions): () => Progress {
  const meter = new RateMeter(clock.monotonic());
  let last: RateWindow | undefined;
  return () => {
    const done = ended();
    const seen = view();
    const heldMs = currentWaitMs(seen);
    const rate = meter.update(clock.monotonic(), done, heldMs > 0);
    const limits = windowOf(seen);
    last = limits ?? (last && projectWindow(last, seen.now));
    const leftMs = timeLeft({ rows: left - done, rate, window: last, heldMs });
    return {
      rows,
      done: rows - left + done,
      ...(rate !== undefined && { rate }),
      ...(leftMs > 0 && { leftMs }),
      ...(limits !== undefined && { limits }),
    };
  };
}

/** Calls `tell` each `ms` until the answer is called. */
function repeat(tell: () => void, ms: number, clock: Clock): () => void {
  const end = new AbortController();
  const again = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(ms, end.signal);
      tell();
    }
  };
  // It ends with the reason of the signal.
  again().catch(() => {});
  return () => end.abort();
}
