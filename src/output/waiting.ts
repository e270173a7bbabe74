import type { Wait } from "../api/types.ts";
import type { Clock, Output } from "../io.ts";
import { formatDuration, formatFlagDuration, formatMoment } from "./duration.ts";
import { type LiveLine, openLiveLine } from "./live.ts";
import { escapeControls } from "./sanitize.ts";

/** What waits need. */
export interface WaiterOptions {
  readonly stderr: Output;
  readonly clock: Clock;
  /** Ends a wait at once, with its reason. */
  readonly signal: AbortSignal;
  readonly quiet: boolean;
  readonly maxWaitMs: number;
  /** Whether a line that counts down may be shown; by default on a terminal. */
  readonly live?: boolean;
}

// rate-limits.md, How long: a wait over a second is told; in a log, again each 30 s.
const toldFrom = 1000;
const logEvery = 30_000;
const countEvery = 1000;
// Waits of several requests for one cause differ by their jitter, at most 5 s.
const sameWait = 5000;

/**
 * Answers a function that waits: never shorter than `ms`, by the monotonic clock, and telling of it
 * (rate-limits.md, How long). Of waits at the same time that end together only one is told. It
 * rejects with the signal's reason as soon as that is aborted.
 */
export function createWaiter(options: WaiterOptions): (wait: Wait) => Promise<void> {
  const { stderr, clock, signal, quiet } = options;
  const line = (options.live ?? stderr.isTTY) ? openLiveLine(stderr) : undefined;
  let told = { end: Number.NEGATIVE_INFINITY };
  return async (wait) => {
    signal.throwIfAborted();
    const own = { end: clock.monotonic() + wait.ms };
    const isNew = told.end <= clock.monotonic() || own.end > told.end + sameWait;
    if (quiet || wait.ms <= toldFrom || !isNew) return sleepUntil(own.end, clock, signal);
    told = own;
    try {
      const tell = line ? countDown(line, wait, options) : log(wait, options);
      await sleepUntil(own.end, clock, signal, line ? countEvery : logEvery, (left) => {
        if (told === own) tell(left);
      });
    } finally {
      if (told === own) line?.wipe();
    }
  };
}

/** Sleeps until the monotonic clock says `end`, and tells what is left whenever it is a multiple of `every`. */
async function sleepUntil(
  end: number,
  clock: Clock,
  signal: AbortSignal,
  every = Number.POSITIVE_INFINITY,
  tell?: (left: number) => void,
): Promise<void> {
  for (let left = end - clock.monotonic(); left > 0; left = end - clock.monotonic()) {
    tell?.(left);
    await clock.sleep(Math.min(left, left % every || every), signal);
  }
}

function countDown(line: LiveLine, wait: Wait, options: WaiterOptions): (left: number) => void {
  return (left) => void line.show(describe("waiting", left, wait, options));
}

function log(wait: Wait, options: WaiterOptions): (left: number) => void {
  let verb = "waiting";
  return (left) => {
    void options.stderr.write(`${escapeControls(describe(verb, left, wait, options))}\n`);
    verb = "still waiting";
  };
}

function describe(
  verb: string,
  left: number,
  { what, until }: Wait,
  options: WaiterOptions,
): string {
  const moment = formatMoment(until, options.clock.now());
  const most = formatFlagDuration(options.maxWaitMs);
  return `${verb} ${formatDuration(left)}, until ${moment} (--max-wait ${most}): ${what}`;
}
