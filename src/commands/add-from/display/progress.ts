import type { PlannedWait } from "../../../client/types.ts";
import { plural } from "../../../core/format.ts";
import { openStatusLine, statusLineWidth } from "../../../output/status-line.ts";
import type { Clock } from "../../../platform/io.ts";
import { shareOf } from "../../../rate-limiter/rules/fair-share.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import { currentWaitMs, type ImportPace, rateWindow, timeLeft } from "./forecast.ts";
import { formatBar, type Progress, progressLine } from "./progress-bar.ts";
import { RateMeter } from "./rate-meter.ts";
import type { DisplayContext } from "./row-format.ts";

/** The run whose progress is shown. */
export interface RunState {
  /** How many rows the input has. */
  readonly rows: number;
  /** How many of them this run has to finish: send, or report again. */
  readonly left: number;
  /** How many of those have ended. */
  ended: number;
  /** What it waits for, each with its end in monotonic ms. */
  readonly waits: Set<PlannedWait & { readonly endsAt: number }>;
  /** Returns what is known about the rate limits. */
  readonly limits: () => LimiterStatus;
  readonly pace: ImportPace;
}

// `help output`: in a log, every 30 s.
const logEveryMs = 30_000;
const drawEveryMs = 200;
/** A wait is shown if it is longer than this, in ms (`help rate-limits`). */
const shownWaitMs = 1000;
/** A check is shown if it takes longer than this, in ms. */
const shownCheckMs = 1000;
const hourMs = 60 * 60_000;

/**
 * Shows the progress of a run until the returned function is called: a bar at the bottom of a terminal, otherwise
 * a line every 30 s; nothing with `--quiet`.
 */
export function showProgress(context: DisplayContext, run: RunState): () => void {
  const { stderr, clock, env, settings } = context;
  if (settings.quiet) return () => {};
  const meter = new RateMeter(clock.monotonic());
  const current = (): Progress => progressOf(run, meter, clock);
  const line = openStatusLine(stderr, env);
  if (line === undefined)
    return repeat(() => void stderr.write(`${progressLine(current())}\n`), logEveryMs, clock);
  const draw = (): void => void line.show(formatBar(current(), statusLineWidth(stderr)));
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
  let drawAt = clock.monotonic() + shownCheckMs;
  let checked = 0;
  const add = (rows: number): void => {
    checked += rows;
    if (clock.monotonic() < drawAt) return;
    drawAt = clock.monotonic() + drawEveryMs;
    void line?.show(`checking ${file}: ${plural(checked, "row")}`);
  };
  return { add, close: () => line?.clear() };
}

function progressOf(run: RunState, meter: RateMeter, clock: Clock): Progress {
  const { rows, left, ended, limits, pace } = run;
  const status = limits();
  const now = clock.monotonic();
  const waitMs = currentWaitMs(status);
  const rate = meter.update(now, ended, waitMs > 0);
  const leftMs = timeLeft(left - ended, status, { rate, pace });
  const isKnown = rate !== undefined || rateWindow(status) !== undefined;
  const next = nextRows(run, status, now);
  return {
    rows,
    done: rows - left + ended,
    ...(isKnown && leftMs > 0 && { leftMs }),
    ...(next && { next }),
  };
}

/** Returns when the first of the waits that are shown ends, and what follows; undefined without any. */
function nextRows(run: RunState, status: LimiterStatus, now: number): Progress["next"] {
  const shown = [...run.waits].filter(({ isOpenEnded, ms }) => !isOpenEnded && ms > shownWaitMs);
  const [first] = shown.sort((a, b) => a.endsAt - b.endsAt);
  if (first === undefined) return undefined;
  const inMs = Math.max(0, first.endsAt - now);
  const count = first.reason === "limiter" ? rowsAfterWait(run, status) : undefined;
  return count === undefined ? { inMs, why: first.what } : { inMs, count };
}

/** Returns how many rows are sent when a wait for the limit is over (`help rate-limits`); undefined if that is unknown. */
function rowsAfterWait({ left, ended, pace }: RunState, status: LimiterStatus): number | undefined {
  const { condition } = status;
  const window = rateWindow(status);
  if (condition?.reason !== "used_up" || pace.reserve) return undefined;
  const { limit, reserved = limit } = condition;
  const rows = left - ended;
  if (rows <= reserved) return rows;
  if (condition.reserved !== undefined) return reserved;
  if (window?.limit !== limit) return undefined;
  return limit - (window.length > hourMs ? 0 : shareOf(limit));
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
