import type { PlannedWait } from "../client/types.ts";
import type { Settings } from "../config/settings.ts";
import { formatMoment } from "../core/format.ts";
import { escapeControls } from "../core/sanitize.ts";
import type { Clock, Environment, Output } from "../platform/io.ts";
import { openStatusLine, type StatusLine } from "./status-line.ts";
import { formatDuration } from "./text/format.ts";

/** What a sleeper needs of the context of a command; with `verbose` it logs every wait, however short. */
export interface SleeperContext {
  readonly stderr: Output;
  readonly clock: Clock;
  readonly env: Environment;
  readonly settings: Pick<Settings, "quiet" | "verbose" | "maxWaitMs">;
}

// `help rate-limits`: a wait over a second is reported; in a log, again each 30 s.
const noticeAfterMs = 1000;
const logEveryMs = 30_000;
const countEveryMs = 1000;
// Waits of several requests for one cause differ by their jitter, at most 5 s.
const sameWaitToleranceMs = 5000;

/**
 * Returns a function that waits, never shorter than `ms` by the monotonic clock, and reports the wait
 * (`help rate-limits`), on a terminal in one line. Of concurrent waits that end together only one is reported.
 * It rejects with the signal's reason as soon as that is aborted.
 */
export function createSleeper(
  context: SleeperContext,
  signal: AbortSignal,
): (wait: PlannedWait) => Promise<void> {
  const { stderr, clock, env, settings } = context;
  const line = settings.verbose ? undefined : openStatusLine(stderr, env);
  const none = { end: Number.NEGATIVE_INFINITY };
  let reported = none;
  return async (wait) => {
    signal.throwIfAborted();
    const now = clock.monotonic();
    const own = { end: now + wait.ms };
    const isNew = reported.end <= now || own.end > reported.end + sameWaitToleranceMs;
    const isReported = !settings.quiet && (settings.verbose || (wait.ms > noticeAfterMs && isNew));
    const sleep = { clock, signal };
    if (!isReported) return sleepUntil(own.end, wait, sleep);
    reported = own;
    const show = notice(line, wait, context);
    const notify = (left: number): number => {
      if (reported === own || settings.verbose) show(left);
      return line ? left % countEveryMs || countEveryMs : logEveryMs;
    };
    try {
      const notifyAfter = wait.isOpenEnded && !settings.verbose ? noticeAfterMs : 0;
      await sleepUntil(own.end, wait, sleep, notify, notifyAfter);
    } finally {
      if (reported === own) {
        // The wait may have ended early: the next one has to be reported then.
        reported = none;
        line?.clear();
      }
    }
  };
}

/**
 * Sleeps until `end`, in monotonic ms, or until `earlyExit` says so. `notify` reports the ms that are left, for the first time after
 * `notifyAfter` ms, as open-ended waits are usually short; it returns the ms until it has to be called again.
 */
async function sleepUntil(
  end: number,
  { earlyExit }: PlannedWait,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  notify?: (left: number) => number,
  notifyAfter = 0,
): Promise<void> {
  let notifyAt = notify === undefined ? end : clock.monotonic() + notifyAfter;
  for (let now = clock.monotonic(); now < end; now = clock.monotonic()) {
    if (earlyExit?.isOver()) return;
    if (notify !== undefined && now >= notifyAt) notifyAt = now + notify(end - now);
    const checkAt = earlyExit === undefined ? end : now + earlyExit.everyMs;
    await clock.sleep(Math.min(end, notifyAt, checkAt) - now, signal);
  }
}

/** Returns a function that shows what is left of a wait on the status line, else as a line of a log. */
function notice(line: StatusLine | undefined, wait: PlannedWait, context: SleeperContext) {
  let verb = "waiting";
  return (left: number): void => {
    // Whole seconds down to 1 s, never 999 ms.
    if (line) line.show(describeWait(verb, Math.ceil(left / 1000) * 1000, wait, context));
    else {
      // Not awaited: a reader that is slow must not make the wait longer.
      void context.stderr.write(`${escapeControls(describeWait(verb, left, wait, context))}\n`);
      verb = "still waiting";
    }
  };
}

function describeWait(
  verb: string,
  left: number,
  { what, until, ms, isOpenEnded }: PlannedWait,
  { settings }: SleeperContext,
): string {
  // Formatted as at the start, so that it does not change during the wait.
  const moment = formatMoment(until, until - ms);
  // The rate limiter rounds times up, so that a wait may exceed --max-wait by less than a second.
  const length = `${formatDuration(Math.min(left, settings.maxWaitMs))}, until ${moment}`;
  return `${verb} ${isOpenEnded ? `at most ${length}` : length}: ${what}`;
}
