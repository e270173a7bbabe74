import type { PlannedWait } from "../../../client/types.ts";
import type { RowOutcome } from "../../../imports/types.ts";
import { openStatusLine } from "../../../output/status-line.ts";
import { createSleeper } from "../../../output/wait-notice.ts";
import { forecastLine, rateWindow } from "./forecast.ts";
import { type RunState, showProgress } from "./progress.ts";
import { type DisplayContext, openRowWriter } from "./rows.ts";

/** Shows a run while it lasts: its rows on standard output, its progress on standard error. */
export type RunDisplay = Awaited<ReturnType<typeof openRunDisplay>>;

/**
 * Starts to show a run, whose waits `signal` ends. The forecast is printed at once, or when the first reply announces
 * the limits.
 */
export async function openRunDisplay(
  context: DisplayContext,
  shown: Omit<RunState, "waits">,
  signal: AbortSignal,
) {
  const { stderr, env, settings } = context;
  const writer = await openRowWriter(context);
  const run: RunState = { ...shown, waits: new Set() };
  const forecast = forecastOnce(context, run);
  forecast();
  const dispose = showProgress(context, run);
  const hasBar = openStatusLine(stderr, env) !== undefined;
  const quiet = settings.quiet || (hasBar && !settings.verbose);
  const sleep = createSleeper({ ...context, settings: { ...settings, quiet } }, signal);
  return {
    /**
     * Shows how a row ended, within a few ms. While a returned promise is pending, nothing more may
     * be sent; it rejects if standard output cannot be written.
     */
    report: (end: RowOutcome): Promise<void> | void => {
      run.left -= 1;
      forecast();
      return writer.add(end);
    },
    /** The wait function of the run's requests, which shows waits on the bar if there is one. */
    wait: async (planned: PlannedWait): Promise<void> => {
      run.waits.add(planned);
      try {
        await sleep(planned);
      } finally {
        run.waits.delete(planned);
      }
    },
    /** Writes the rows that are left to show; `isWhole` means that the run reached its end. */
    close: (isWhole: boolean) => writer.close(isWhole),
    /** Clears the bar and shows no more progress. */
    dispose,
  };
}

/** So often limits are asked for until the service is assumed to announce none. */
const maxPolls = 10;
/** If a window ends within this time, in ms, the next one soon shows how long windows are. */
const soonMs = 10_000;

/** Returns a function that prints the forecast once, when the limits are known, if not all rows fit. */
function forecastOnce({ stderr, settings }: DisplayContext, run: RunState): () => void {
  let polls = 0;
  let isDone = settings.quiet;
  return () => {
    if (isDone) return;
    const { left, pace } = run;
    const status = run.limits();
    const { now, seenAt, resetAt = Infinity, windowMs, limit = 0, remaining = 0 } = status;
    const isLengthKnown = windowMs !== undefined || resetAt - now > soonMs;
    isDone = seenAt === undefined ? polls === maxPolls : isLengthKnown || left <= limit + remaining;
    polls += 1;
    const window = rateWindow(status, pace);
    if (!isDone || window === undefined || window.remaining >= left) return;
    void stderr.write(`${forecastLine(left, status, pace, settings.maxWaitMs)}\n`);
  };
}
