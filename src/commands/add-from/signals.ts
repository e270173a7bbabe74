import type { RunAbort } from "../../bulk/run/abort.ts";
import type { Context } from "../context.ts";
import { signalFailure } from "../../core/errors.ts";
import type { TerminationSignal } from "../../platform/io.ts";

/** How long a run that is given up may take to end, in ms, and as long again to say how. */
const abandonGraceMs = 500;

/** How long, in ms, a run that was told to stop may take before that is explained. */
const explainAfterMs = 300;

/** The end signals of a run, while it lasts. */
export interface HeardSignals {
  /** Resolves soon after the second signal: whatever is still to be done is left. */
  readonly abandoned: Promise<void>;
  /** Lets the signals mean again what they meant before, unless one came: the next is the second. */
  release(): void;
}

/**
 * Lets the first end signal stop a run, so that what is on its way ends, and the second one give that
 * up too (contract.md, Bulk, Sending). SIGHUP, which means that the terminal is gone, counts only
 * where there was one. (Node forgets that `nohup` had it ignored.)
 */
export function handleRunSignals(context: Context, stop: RunAbort): HeardSignals {
  const { clock, note, interceptSignals, exitNow, signal: earlier } = context;
  const unneeded = new AbortController();
  const { promise: abandoned, resolve } = Promise.withResolvers<void>();
  let heard = 0;
  const hear = (signal: TerminationSignal): void => {
    if (signal === "SIGHUP" && !hasTerminal(context)) return;
    heard += 1;
    const failure = signalFailure(signal);
    if (heard === 1) {
      stop.stop(failure);
      void clock
        .sleep(explainAfterMs, unneeded.signal)
        .then(() => note(stoppingNote(signal)), ignore);
    }
    if (heard !== 2) return;
    unneeded.abort();
    stop.abandon(failure);
    const never = new AbortController().signal;
    void clock.sleep(abandonGraceMs, never).then(resolve);
    // What nobody reads can't be told.
    void clock.sleep(2 * abandonGraceMs, never).then(() => exitNow(signal));
  };
  // One that came before is heard by nobody else any more.
  if (earlier.aborted) stop.stop(earlier.reason);
  const giveBack = interceptSignals(hear);
  return {
    abandoned,
    release() {
      unneeded.abort();
      if (heard === 0) giveBack();
    },
  };
}

function stoppingNote(signal: TerminationSignal): string {
  const again = signal === "SIGINT" ? "Ctrl-C again" : "a second signal";
  return `Stopping when the requests on their way have ended; ${again} leaves at once, and what they add is then unknown.`;
}

const ignore = (): void => {};

function hasTerminal({ stdin, stdout, stderr }: Context): boolean {
  return stdin.isTTY || stdout.isTTY || stderr.isTTY;
}
