import type { PlannedWait } from "../client/types.ts";
import type { Settings } from "../config/settings.ts";
import { formatDuration, formatMoment } from "../core/format.ts";
import { escapeControls } from "../core/sanitize.ts";
import type { Clock, Environment, Output } from "../platform/io.ts";
import { openStatusLine } from "./status-line.ts";

// `help rate-limits`: a wait over a second is reported; in a log, again each 30 s.
const noticeAfterMs = 1000;
const logEveryMs = 30_000;
// Waits of several requests for one cause differ by their jitter, at most 5 s.
const sameWaitToleranceMs = 5000;

interface SleeperContext {
  readonly stderr: Output;
  readonly clock: Clock;
  readonly env: Environment;
  readonly settings: Pick<Settings, "quiet" | "verbose">;
}

/**
 * Returns a function that waits at least `ms` by the monotonic clock, and reports the wait (`help rate-limits`): of
 * concurrent waits that end together only one, with `--verbose` each. Rejects with the reason of `signal`.
 */
export function createSleeper(
  { stderr, clock, env, settings }: SleeperContext,
  signal: AbortSignal,
): (wait: PlannedWait) => Promise<void> {
  const { quiet, verbose } = settings;
  const line = verbose ? undefined : openStatusLine(stderr, env);
  const none = { end: Number.NEGATIVE_INFINITY };
  let reported = none;
  return async (wait) => {
    signal.throwIfAborted();
    const { earlyExit } = wait;
    const start = clock.monotonic();
    const own = { end: start + wait.ms };
    const isNew = reported.end <= start || own.end > reported.end + sameWaitToleranceMs;
    const isReported = !quiet && (verbose || (wait.ms > noticeAfterMs && isNew));
    if (isReported) reported = own;
    let verb = "waiting";
    /** Shows how many ms are left; returns after how many it does so again. */
    const report = (left: number): number => {
      if (reported !== own && !verbose) return Infinity;
      if (line) {
        // Whole seconds down to 1 s, never 999 ms.
        line.show(describeWait(verb, Math.ceil(left / 1000) * 1000, wait));
        return left % 1000 || 1000;
      }
      // Not awaited: a reader that is slow must not make the wait longer.
      void stderr.write(`${escapeControls(describeWait(verb, left, wait))}\n`);
      verb = "still waiting";
      return logEveryMs;
    };
    // Open-ended waits are usually short.
    const reportAfterMs = wait.isOpenEnded && !verbose ? noticeAfterMs : 0;
    let reportAt = isReported ? start + reportAfterMs : Infinity;
    try {
      for (let now = start; now < own.end; now = clock.monotonic()) {
        if (earlyExit?.isOver()) return;
        if (now >= reportAt) reportAt = now + report(own.end - now);
        const checkAt = earlyExit === undefined ? own.end : now + earlyExit.everyMs;
        await clock.sleep(Math.min(own.end, reportAt, checkAt) - now, signal);
      }
    } finally {
      if (reported === own) {
        // The wait may have ended early: the next one has to be reported then.
        reported = none;
        line?.clear();
      }
    }
  };
}

function describeWait(verb: string, leftMs: number, wait: PlannedWait): string {
  const { what, until, ms, isOpenEnded } = wait;
  // Formatted as at the start, so that it does not change during the wait.
  const moment = formatMoment(until, until - ms);
  return `${verb} ${isOpenEnded ? "at most " : ""}${formatDuration(leftMs)}, until ${moment}: ${what}`;
}
