import type { PlannedWait } from "../client/types.ts";
import type { Clock, Output } from "../platform/io.ts";
import { formatDuration, formatFlagDuration, formatMoment } from "./text/format.ts";
import { type StatusLine, openStatusLine } from "./status-line.ts";
import { escapeControls } from "./text/sanitize.ts";

/** What waits need. */
export interface SleeperOptions {
  readonly stderr: Output;
  readonly clock: Clock;
  /** Ends a wait at once, with its reason. */
  readonly signal: AbortSignal;
  readonly quiet: boolean;
  readonly maxWaitMs: number;
  /** Whether each wait is told, however short, and in lines that stay. */
  readonly verbose?: boolean;
  /** Whether a line that counts down may be shown; by default on a terminal. */
  readonly live?: boolean;
  /** The live line that it is shown on, where there is one already. */
  readonly line?: StatusLine;
}

// rate-limits.md, How long: a wait over a second is told; in a log, again each 30 s.
const noticeAfterMs = 1000;
const logEveryMs = 30_000;
const countEveryMs = 1000;
// Waits of several requests for one cause differ by their jitter, at most 5 s.
const sameWaitToleranceMs = 5000;

/** Tells of a wait while it lasts. */
interface WaitNotifier {
  /** Called with the ms that are left, at the start and then when `pause` has passed. */
  tell(left: number): void;
  /** How long, in ms, until it is told again. */
  pause(left: number): number;
}

/**
 * Answers a function that waits: never shorter than `ms`, by the monotonic clock, and telling of it
 * (rate-limits.md, How long). Of waits at the same time that end together only one is told. It
 * rejects with the signal's reason as soon as that is aborted.
 */
export function createSleeper(options: SleeperOptions): (wait: PlannedWait) => Promise<void> {
  const { stderr, clock, signal, quiet, verbose = false } = options;
  const live = !verbose && (options.live ?? stderr.isTTY);
  const line = live ? (options.line ?? openStatusLine(stderr)) : undefined;
  const none = { end: Number.NEGATIVE_INFINITY };
  let told = none;
  return async (wait) => {
    signal.throwIfAborted();
    const own = { end: clock.monotonic() + wait.ms };
    const isNew = told.end <= clock.monotonic() || own.end > told.end + sameWaitToleranceMs;
    const isTold = !quiet && (verbose || (wait.ms > noticeAfterMs && isNew));
    const sleep = { end: own.end, sooner: wait.earlyExit, clock, signal };
    if (!isTold) return sleepUntil(sleep);
    told = own;
    const teller = line ? countdown(line, wait, options) : log(wait, options);
    const tell = (left: number): void => (told === own || verbose ? teller.tell(left) : undefined);
    // One of which nobody knows how long it will be is over soon, as a rule.
    const notifyAt =
      wait.isOpenEnded && !verbose ? clock.monotonic() + noticeAfterMs : Number.NEGATIVE_INFINITY;
    try {
      await sleepUntil({ ...sleep, teller: { ...teller, tell }, notifyAt });
    } finally {
      if (told === own) {
        // It may have been over sooner than it was told to be, and then the next one is news.
        told = none;
        line?.clear();
      }
    }
  };
}

/** What a wait is made of; `end` and `notifyAt` by the monotonic clock. */
interface Sleep {
  readonly end: number;
  readonly sooner: PlannedWait["earlyExit"];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly teller?: WaitNotifier;
  /** When it is told first. */
  readonly notifyAt?: number;
}

/** Sleeps until the monotonic clock says `end`, or the wait is over sooner. */
async function sleepUntil({ end, sooner, clock, signal, teller, ...first }: Sleep): Promise<void> {
  let notifyAt = first.notifyAt ?? Number.POSITIVE_INFINITY;
  for (let now = clock.monotonic(); now < end; now = clock.monotonic()) {
    if (sooner?.isOver()) return;
    if (teller !== undefined && now >= notifyAt) {
      teller.tell(end - now);
      notifyAt = now + teller.pause(end - now);
    }
    const lookAt = sooner === undefined ? end : now + sooner.everyMs;
    await clock.sleep(Math.min(end, notifyAt, lookAt) - now, signal);
  }
}

// Nothing waits for these writes: a terminal that was stopped (Ctrl-S) must not make a wait longer.
function countdown(line: StatusLine, wait: PlannedWait, options: SleeperOptions): WaitNotifier {
  return {
    // Seconds that count down to 1: the last one is no 999 ms.
    tell: (left) => void line.show(describeWait("waiting", wholeSeconds(left), wait, options)),
    pause: (left) => left % countEveryMs || countEveryMs,
  };
}

const wholeSeconds = (ms: number): number => Math.ceil(ms / countEveryMs) * countEveryMs;

function log(wait: PlannedWait, options: SleeperOptions): WaitNotifier {
  let verb = "waiting";
  return {
    tell(left) {
      void options.stderr.write(`${escapeControls(describeWait(verb, left, wait, options))}\n`);
      verb = "still waiting";
    },
    pause: () => logEveryMs,
  };
}

function describeWait(
  verb: string,
  left: number,
  wait: PlannedWait,
  options: SleeperOptions,
): string {
  const { what, until, isOpenEnded } = wait;
  const moment = formatMoment(until, options.clock.now());
  // A wait may be longer by what the gate's moments are rounded up by.
  const length = `${formatDuration(Math.min(left, options.maxWaitMs))}, until ${moment}`;
  const most = formatFlagDuration(options.maxWaitMs);
  return `${verb} ${isOpenEnded ? `at most ${length}` : length} (--max-wait ${most}): ${what}`;
}
