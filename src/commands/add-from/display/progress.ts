import type { ApiEvent, Wait } from "../../../client/types.ts";
import { formatCount, formatLong } from "../../../core/format.ts";
import type { RowOutcome } from "../../../imports/types.ts";
import { openStatusLine, statusLineWidth } from "../../../output/status-line.ts";
import { createWaitNotice } from "../../../output/wait-notice.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import { estimate, forecastLine, type ImportPace, timeLeft } from "./forecast.ts";
import { type DisplayContext, openRowWriter } from "./rows.ts";

export interface RunState {
  readonly rows: number;
  /** How many of them this run still has to finish: send, or report again. */
  left: number;
  /** How many it has finished, since when by the monotonic clock. */
  done: number;
  readonly startedAt: number;
  readonly waits: Set<Wait>;
  readonly limits: () => LimiterStatus;
  readonly pace: ImportPace;
}

// `help output`: in a log, every 30 s.
const logEveryMs = 30_000;
const drawEveryMs = 200;
/** A shorter wait or check is not shown (`help rate-limits`). */
const shownMs = 1000;
/** A window that ends within this time is not worth a forecast. */
const soonMs = 10_000;

export type RunDisplay = Awaited<ReturnType<typeof openRunDisplay>>;

/** Shows a run: its rows on standard output, its progress on standard error. */
export async function openRunDisplay(
  context: DisplayContext,
  shown: Pick<RunState, "rows" | "left" | "limits" | "pace">,
) {
  const { stderr, env, settings, clock } = context;
  const writer = await openRowWriter(context);
  const run: RunState = { ...shown, done: 0, startedAt: clock.monotonic(), waits: new Set() };
  const forecast = forecastOnce(context, run);
  forecast();
  const hide = showProgress(context, run);
  const hasBar = openStatusLine(stderr, env) !== undefined;
  const quiet = settings.quiet || (hasBar && !settings.verbose);
  const notice = createWaitNotice({ ...context, settings: { ...settings, quiet } });
  return {
    /** Shows how a row ended. Nothing more may be sent while a promise is pending; it rejects if a write fails. */
    report: (end: RowOutcome): Promise<void> | void => {
      run.left -= 1;
      run.done += 1;
      forecast();
      return writer.add(end);
    },
    /** Shows the waits of the run, on the bar if there is one; returns whether `event` is one. */
    onEvent: (event: ApiEvent): boolean => {
      if (event.type !== "waiting" && event.type !== "waited") return false;
      forecast(true);
      if (event.type === "waiting") run.waits.add(event.wait);
      else run.waits.delete(event.wait);
      notice(event);
      return true;
    },
    /** Writes the rows that are left to show, and clears the bar; `isWhole`: the run reached its end. */
    close: (isWhole: boolean) => writer.close(isWhole).finally(hide),
  };
}

/** Prints the forecast once the limits are known, if not all rows fit. Looks once a second, and when the run waits. */
function forecastOnce({ stderr, settings, clock }: DisplayContext, run: RunState) {
  let lookAt = settings.quiet ? Infinity : 0;
  return (isWaiting = false): void => {
    if (lookAt === Infinity || (!isWaiting && clock.monotonic() < lookAt)) return;
    lookAt = clock.monotonic() + shownMs;
    const { left, pace } = run;
    const status = run.limits();
    const { window } = estimate(left, status, pace);
    if (window === undefined) return;
    const { remaining, limit, endsIn } = window;
    // The next one shows how long windows are.
    if (status.windowMs === undefined && endsIn <= soonMs && left > remaining + limit) return;
    lookAt = Infinity;
    if (remaining < left)
      void stderr.write(`${forecastLine(left, status, pace, settings.maxWaitMs)}\n`);
  };
}

/** Shows the progress until the returned function is called: a bar on a terminal, else a line every 30 s. */
function showProgress({ stderr, clock, env, settings }: DisplayContext, run: RunState): () => void {
  if (settings.quiet) return () => {};
  const line = openStatusLine(stderr, env);
  const show = (): void => {
    const words = progressLine(run, clock.monotonic());
    if (line === undefined) void stderr.write(`${words}\n`);
    else line.show(withBar(words, run, statusLineWidth(stderr)));
  };
  const end = new AbortController();
  const repeat = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(line === undefined ? logEveryMs : drawEveryMs, end.signal);
      show();
    }
  };
  if (line !== undefined) show();
  // The sleep rejects when it is aborted.
  repeat().catch(() => {});
  return () => {
    end.abort();
    line?.clear();
  };
}

/** Returns the progress at a time of the monotonic clock: rows done of all, the time left, and what the run waits for. */
export function progressLine(run: RunState, now: number): string {
  const { rows, left, done, startedAt, limits, pace } = run;
  const status = limits();
  const ms = timeLeft({ done, left, elapsedMs: now - startedAt }, status, pace);
  // As inexact as an estimate: `25 s`, `4 min`, `2 h 5 min`.
  const unit = ms > 59_000 ? 60_000 : 1000;
  const parts = [
    `${formatCount(rows - left)}/${formatCount(rows)}`,
    ...(ms > 0 ? [`${formatLong(Math.ceil(ms / unit) * unit)} left`] : []),
    ...nextRows(run, status),
  ];
  return parts.join(" · ");
}

/** Returns when the first of the waits that are shown ends, and how many rows may be sent then or what it is for. */
function nextRows(run: RunState, { now, condition }: LimiterStatus): readonly string[] {
  const { waits, left, pace } = run;
  const shown = [...waits].filter(({ isOpenEnded, ms }) => !isOpenEnded && ms > shownMs);
  const [first] = shown.sort((a, b) => a.until - b.until);
  if (first === undefined) return [];
  const time = `in ${formatLong(Math.max(1, Math.ceil((first.until - now) / 1000)) * 1000)}`;
  if (!first.isForLimiter) return [`next ${time}`, first.what];
  if (condition?.reason !== "used_up" || pace.reserve) return [`next ${time}`];
  const { limit, reserved = limit } = condition;
  return [`next ${formatCount(Math.min(left, reserved))} ${time}`];
}

const barCells = { min: 4, max: 30 } as const;

/** Returns the progress with a bar as long as the words leave room for. */
export function withBar(words: string, run: Pick<RunState, "rows" | "left">, room: number): string {
  const { rows, left } = run;
  const free = room - words.length - "[] ".length;
  const cells = Math.min(barCells.max, Math.max(barCells.min, free));
  const full = rows === 0 ? cells : Math.floor(((rows - left) / rows) * cells);
  return `[${"#".repeat(full)}${"-".repeat(cells - full)}] ${words}`;
}
