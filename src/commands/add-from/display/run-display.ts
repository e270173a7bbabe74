import type { RowOutcome } from "../../../imports/types.ts";
import type { PetsApiOptions, PlannedWait } from "../../../client/types.ts";
import { isStale } from "../../../output/rate-limit-report.ts";
import { outputFormats } from "../../../output/formats/index.ts";
import { type StatusLine, supportsStatusLine } from "../../../output/status-line.ts";
import { createSleeper } from "../../../output/wait-notice.ts";
import type { Clock, Environment, Output } from "../../../platform/io.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import type { CommandSettings } from "../../context.ts";
import type { PetWidths } from "./column-meter.ts";
import { forecastLines, type ImportPace } from "./forecast.ts";
import { openProgress } from "./progress.ts";
import {
  idsOnly,
  openDataRows,
  openTableRows,
  problemsOnly,
  type RowFormatter,
  tableTarget,
} from "./row-format.ts";
import { BufferedRowWriter } from "./row-writer.ts";

/** The parts of a command's context that the display of a run needs. */
export interface DisplayContext {
  /** Coordinated with standard error if both are the same terminal: see `coordinateTerminal`. */
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly env: Environment;
  readonly settings: Pick<
    CommandSettings,
    "format" | "formatAsked" | "quiet" | "verbose" | "color" | "maxWaitMs"
  >;
}

/** The run that is shown. */
export interface ShownRun {
  /** How many rows the input has. */
  readonly rows: number;
  /** How many of them this run has to finish: send, or report again. */
  readonly left: number;
  /** The widths of the whole input, measured when it was checked. */
  readonly widths: PetWidths;
  /** Returns what is known about the rate limits. */
  readonly limits: () => LimiterStatus;
  readonly pace?: ImportPace;
}

/** Shows a run while it lasts: its rows on standard output, its progress on standard error. */
export interface RunDisplay {
  /**
   * Shows how a row ended, within about 50 ms. While a returned promise is pending, nothing more may
   * be sent; it rejects if standard output cannot be written.
   */
  report(end: RowOutcome): Promise<void> | void;
  /** Shows when the next rows are sent, until the returned function is called. */
  showWait(wait: PlannedWait): () => void;
  /** Shows what is left to show, and clears the bar. `isStopped` means that the run did not reach its end. */
  close(isStopped: boolean): Promise<void>;
  /** Clears the bar and shows no more progress. */
  dispose(): void;
}

/** Starts to show a run. The forecast is printed at once, or when the first reply announces the limits. */
export async function openRunDisplay(context: DisplayContext, run: ShownRun): Promise<RunDisplay> {
  const { stdout, stderr, clock, env, settings } = context;
  const { rows, left, limits, pace = {} } = run;
  const formatter = await chooseFormatter(context, run);
  const writer = new BufferedRowWriter({ stdout, stderr, clock, formatter });
  let ended = 0;
  const forecast = forecastOnce(context, limits, pace);
  forecast(left);
  const live = supportsStatusLine(stderr, env);
  const progress = settings.quiet
    ? undefined
    : openProgress({ stderr, clock, live, rows, left, limits, pace, ended: () => ended });
  return {
    showWait: (wait) => progress?.showWait(wait) ?? (() => {}),
    report(end) {
      ended += 1;
      forecast(left - ended);
      return writer.add(end);
    },
    async close(isStopped) {
      try {
        await writer.close(!isStopped);
      } finally {
        progress?.close();
      }
    },
    dispose: () => progress?.close(),
  };
}

/** After this many rows without limits, the service is assumed to announce none. */
const maxPolls = 10;

/** Returns a function that prints the forecast once, when the limits are known. */
function forecastOnce(
  { stderr, settings }: DisplayContext,
  limits: () => LimiterStatus,
  pace: ImportPace,
): (left: number) => void {
  let polls = settings.quiet ? maxPolls : 0;
  return (left) => {
    if (polls >= maxPolls) return;
    const status = limits();
    polls = status.seenAt === undefined || isStale(status) ? polls + 1 : maxPolls;
    const lines = forecastLines(status, left, settings.maxWaitMs, pace);
    if (lines.length > 0) void stderr.write(lines.map((line) => `${line}\n`).join(""));
  };
}

async function chooseFormatter(
  { stdout, env, settings }: DisplayContext,
  { widths, left }: ShownRun,
): Promise<RowFormatter> {
  const { format, formatAsked, quiet, verbose, color } = settings;
  if (quiet && !formatAsked) return idsOnly;
  const shown = outputFormats[format];
  if (shown.kind !== "table") return openDataRows(shown, stdout.isTTY);
  if (stdout.isTTY && !verbose) return problemsOnly;
  return openTableRows({ widths, count: left, target: tableTarget(stdout, env, color) });
}

/** A status line that shows nothing: on a terminal the bar shows when the next rows are sent. */
const noLine: StatusLine = { show: async () => {}, clear: () => {} };

/** Returns the wait function of a run's requests, which shows waits on the bar if there is one. `signal` aborts a wait. */
export function waitOnDisplay(
  { showWait }: Pick<RunDisplay, "showWait">,
  { stderr, clock, env, settings }: DisplayContext,
  signal: AbortSignal,
): PetsApiOptions["wait"] {
  const { quiet, verbose, maxWaitMs } = settings;
  const live = supportsStatusLine(stderr, env);
  const line = live ? { line: noLine } : {};
  const sleep = createSleeper({ stderr, clock, signal, quiet, verbose, maxWaitMs, live, ...line });
  return async (wait) => {
    const end = showWait(wait);
    try {
      await sleep(wait);
    } finally {
      end();
    }
  };
}
