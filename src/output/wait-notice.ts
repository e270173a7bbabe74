import type { ApiEvent, Wait } from "../client/types.ts";
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

type WaitEvent = Extract<ApiEvent, { readonly type: "waiting" | "waited" }>;

interface NoticeContext {
  readonly stderr: Output;
  readonly clock: Clock;
  readonly env: Environment;
  readonly settings: Pick<Settings, "quiet" | "verbose">;
}

/** Returns a function that shows waits (`help rate-limits`): of those that end together only one, with `--verbose` each. */
export function createWaitNotice({ stderr, clock, env, settings }: NoticeContext) {
  const { quiet, verbose } = settings;
  const line = verbose ? undefined : openStatusLine(stderr, env);
  const shown = new Map<Wait, AbortController>();
  let reportedUntil = Number.NEGATIVE_INFINITY;
  /** Shows the rest of a wait, again and again; the sleep rejects once the wait has ended. */
  const show = async (wait: Wait, signal: AbortSignal): Promise<void> => {
    const end = clock.monotonic() + wait.ms;
    // Open-ended waits are usually short.
    if (wait.isOpenEnded && !verbose) await clock.sleep(noticeAfterMs, signal);
    for (let verb = "waiting"; ; verb = "still waiting") {
      const left = end - clock.monotonic();
      if (left <= 0) return;
      // On a terminal whole seconds down to 1 s, never 999 ms. Not awaited: a slow reader makes no wait longer.
      if (line) line.show(describeWait("waiting", Math.ceil(left / 1000) * 1000, wait));
      else void stderr.write(`${escapeControls(describeWait(verb, left, wait))}\n`);
      await clock.sleep(line ? left % 1000 || 1000 : logEveryMs, signal);
    }
  };
  return ({ type, wait }: WaitEvent): void => {
    if (type === "waited") {
      if (!shown.has(wait)) return;
      shown.get(wait)?.abort();
      shown.delete(wait);
      // It may have ended early: the next one has to be reported then.
      reportedUntil = Number.NEGATIVE_INFINITY;
      line?.clear();
      return;
    }
    const now = clock.monotonic();
    const isNew = reportedUntil <= now || now + wait.ms > reportedUntil + sameWaitToleranceMs;
    if (quiet || !(verbose || (wait.ms > noticeAfterMs && isNew))) return;
    if (!verbose) {
      for (const ended of shown.values()) ended.abort();
      shown.clear();
    }
    reportedUntil = now + wait.ms;
    const ended = new AbortController();
    shown.set(wait, ended);
    show(wait, ended.signal).catch(() => {});
  };
}

function describeWait(verb: string, leftMs: number, wait: Wait): string {
  const { what, until, ms, isOpenEnded } = wait;
  // Formatted as at the start, so that it does not change during the wait.
  const moment = formatMoment(until, until - ms);
  return `${verb} ${isOpenEnded ? "at most " : ""}${formatDuration(leftMs)}, until ${moment}: ${what}`;
}
