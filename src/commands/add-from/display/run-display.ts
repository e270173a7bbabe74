import type { PlannedWait } from "../../../client/types.ts";
import type { RowOutcome } from "../../../imports/types.ts";
import { openStatusLine, type StatusLine } from "../../../output/status-line.ts";
import { createSleeper } from "../../../output/wait-notice.ts";
import { forecastLine } from "./forecast.ts";
import { type RunState, showProgress } from "./progress.ts";
import { chooseRowFormat, type DisplayContext, type PetWidths } from "./row-format.ts";
import { BufferedRowWriter } from "./row-writer.ts";

/** The run that is shown. */
export interface ShownRun extends Omit<RunState, "ended" | "waits"> {
  readonly widths: Readonly<PetWidths>;
  /** Ends its waits. */
  readonly signal: AbortSignal;
}

/** Shows a run while it lasts: its rows on standard output, its progress on standard error. */
export type RunDisplay = Awaited<ReturnType<typeof openRunDisplay>>;

/** A status line that shows nothing: on a terminal the bar shows when the next rows are sent. */
const noLine: StatusLine = { show: async () => {}, clear: () => {} };

/** Starts to show a run. The forecast is printed at once, or when the first reply announces the limits. */
export async function openRunDisplay(context: DisplayContext, run: ShownRun) {
  const { stderr, clock, env, settings } = context;
  const writer = new BufferedRowWriter(context, await chooseRowFormat(context, run));
  const state: RunState = { ...run, ended: 0, waits: new Set() };
  const forecast = forecastOnce(context, state);
  forecast();
  const dispose = showProgress(context, state);
  const line = settings.verbose || openStatusLine(stderr, env) === undefined ? undefined : noLine;
  const sleep = createSleeper(context, run.signal, line);
  return {
    /**
     * Shows how a row ended, within a few ms. While a returned promise is pending, nothing more may
     * be sent; it rejects if standard output cannot be written.
     */
    report: (end: RowOutcome): Promise<void> | void => {
      state.ended += 1;
      forecast();
      return writer.add(end);
    },
    /** The wait function of the run's requests, which shows waits on the bar if there is one. */
    wait: async (planned: PlannedWait): Promise<void> => {
      const shown = { ...planned, endsAt: clock.monotonic() + planned.ms };
      state.waits.add(shown);
      try {
        await sleep(planned);
      } finally {
        state.waits.delete(shown);
      }
    },
    /** Shows what is left to show, and clears the bar. `isStopped` means that the run did not reach its end. */
    async close(isStopped: boolean): Promise<void> {
      try {
        await writer.close(!isStopped);
      } finally {
        dispose();
      }
    },
    /** Clears the bar and shows no more progress. */
    dispose,
  };
}

/** After this many rows without limits, the service is assumed to announce none. */
const maxPolled = 10;
/** If a window ends within this time, in ms, the next one soon shows how long windows are. */
const soonMs = 10_000;

/** Returns a function that prints the forecast once, when the limits are known. */
function forecastOnce({ stderr, settings }: DisplayContext, run: RunState): () => void {
  let isDone = settings.quiet;
  return () => {
    if (isDone) return;
    const status = run.limits();
    const { now, seenAt, resetAt = Infinity, windowMs, limit = 0, remaining = 0 } = status;
    const rows = run.left - run.ended;
    const isLengthKnown = windowMs !== undefined || resetAt - now > soonMs;
    if (seenAt === undefined) isDone = run.ended >= maxPolled;
    else isDone = isLengthKnown || rows <= limit + remaining;
    const line = isDone ? forecastLine(status, rows, settings.maxWaitMs, run.pace) : undefined;
    if (line !== undefined) void stderr.write(`${line}\n`);
  };
}
