import type { PlannedWait } from "../client/types.ts";
import type { Clock, Output } from "../platform/io.ts";
import { formatMoment } from "../core/format.ts";
import { formatDuration } from "./text/format.ts";
import { type StatusLine, openStatusLine } from "./status-line.ts";
import { escapeControls } from "../core/sanitize.ts";

/** What a sleeper needs. */
export interface SleeperOptions {
  readonly stderr: Output;
  readonly clock: Clock;
  /** Ends a wait at once, with its reason. */
  readonly signal: AbortSignal;
  readonly quiet: boolean;
  readonly maxWaitMs: number;
  /** Whether every wait is logged, however short, in lines that stay. */
  readonly verbose?: boolean;
  /** Whether a countdown may be shown; by default on a terminal. */
  readonly live?: boolean;
  /** The status line to show it on, if there is one already. */
  readonly line?: StatusLine;
}

// `help rate-limits`: a wait over a second is reported; in a log, again each 30 s.
const noticeAfterMs = 1000;
const logEveryMs = 30_000;
const countEveryMs = 1000;
// Waits of several requests for one cause differ by their jitter, at most 5 s.
const sameWaitToleranceMs = 5000;

/** Reports a wait while it lasts. */
interface WaitNotifier {
  /** Reports the ms that are left: at the start, and then after every `pause`. */
  notify(left: number): void;
  /** Returns the ms until the next report. */
  pause(left: number): number;
}

/**
 * Returns a function that waits, never shorter than `ms` by the monotonic clock, and reports the wait
 * (`help rate-limits`). Of concurrent waits that end together only one is reported. It rejects
 * with the signal's reason as soon as that is aborted.
 */
export function createSleeper(options: SleeperOptions): (wait: PlannedWait) => Promise<void> {
  const { stderr, clock, signal, quiet, verbose = false } = options;
  const live = !verbose && (options.live ?? stderr.isTTY);
  const line = live ? (options.line ?? openStatusLine(stderr)) : undefined;
  const none = { end: Number.NEGATIVE_INFINITY };
  let reported = none;
  return async (wait) => {
    signal.throwIfAborted();
    const own = { end: clock.monotonic() + wait.ms };
    const isNew = reported.end <= clock.monotonic() || own.end > reported.end + sameWaitToleranceMs;
    const isReported = !quiet && (verbose || (wait.ms > noticeAfterMs && isNew));
    const sleep = { end: own.end, earlyExit: wait.earlyExit, clock, signal };
    if (!isReported) return sleepUntil(sleep);
    reported = own;
    const notifier = line ? countdown(line, wait, options) : log(wait, options);
    const notify = (left: number): void =>
      reported === own || verbose ? notifier.notify(left) : undefined;
    // Open-ended waits are usually short: delay the first notice.
    const notifyAt =
      wait.isOpenEnded && !verbose ? clock.monotonic() + noticeAfterMs : Number.NEGATIVE_INFINITY;
    try {
      await sleepUntil({ ...sleep, notifier: { ...notifier, notify }, notifyAt });
    } finally {
      if (reported === own) {
        // The wait may have ended early: the next one has to be reported then.
        reported = none;
        line?.clear();
      }
    }
  };
}

/** One sleep; `end` and `notifyAt` are monotonic, in ms. */
interface Sleep {
  readonly end: number;
  readonly earlyExit: PlannedWait["earlyExit"];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly notifier?: WaitNotifier;
  /** The time of the first report. */
  readonly notifyAt?: number;
}

/** Sleeps until `end`, or until `earlyExit` is over. */
async function sleepUntil(sleep: Sleep): Promise<void> {
  const { end, earlyExit, clock, signal, notifier } = sleep;
  let notifyAt = sleep.notifyAt ?? Number.POSITIVE_INFINITY;
  for (let now = clock.monotonic(); now < end; now = clock.monotonic()) {
    if (earlyExit?.isOver()) return;
    if (notifier !== undefined && now >= notifyAt) {
      notifier.notify(end - now);
      notifyAt = now + notifier.pause(end - now);
    }
    const checkAt = earlyExit === undefined ? end : now + earlyExit.everyMs;
    await clock.sleep(Math.min(end, notifyAt, checkAt) - now, signal);
  }
}

// These writes are not awaited: a stopped terminal (Ctrl-S) must not make a wait longer.
function countdown(line: StatusLine, wait: PlannedWait, options: SleeperOptions): WaitNotifier {
  return {
    // Whole seconds down to 1 s, never 999 ms.
    notify: (left) => void line.show(describeWait("waiting", wholeSeconds(left), wait, options)),
    pause: (left) => left % countEveryMs || countEveryMs,
  };
}

const wholeSeconds = (ms: number): number => Math.ceil(ms / countEveryMs) * countEveryMs;

function log(wait: PlannedWait, options: SleeperOptions): WaitNotifier {
  let verb = "waiting";
  return {
    notify(left) {
      void options.stderr.write(`${escapeControls(describeWait(verb, left, wait, options))}\n`);
      verb = "still waiting";
    },
    pause: () => logEveryMs,
  };
}

function describeWait(
  verb: string,
  left: number,
  { what, until, ms, isOpenEnded }: PlannedWait,
  { maxWaitMs }: SleeperOptions,
): string {
  // Formatted as at the start, so that it does not change during the wait.
  const moment = formatMoment(until, until - ms);
  // The rate limiter rounds times up, so that a wait may exceed --max-wait by less than a second.
  const length = `${formatDuration(Math.min(left, maxWaitMs))}, until ${moment}`;
  return `${verb} ${isOpenEnded ? `at most ${length}` : length}: ${what}`;
}
