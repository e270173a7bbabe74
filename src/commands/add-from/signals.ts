import { signalFailure } from "../../core/errors.ts";
import type { RunAbort } from "../../imports/run/run-rows.ts";
import { hasTerminal, type TerminationSignal } from "../../platform/io.ts";
import type { Context } from "../context.ts";

/** How long an abandoned run may take to end, in ms, and then the same time again to print how it ended. */
const abandonGraceMs = 500;
/** How long a stopping run may take, in ms, before a note explains why. */
const explainAfterMs = 300;

/**
 * Stops a run at the first termination signal, so that requests in flight can finish, and abandons them
 * at the second (`help import`): then `abandoned` resolves. SIGHUP counts only if the run has a terminal: it means
 * that the terminal is gone, and Node does not keep the SIG_IGN that `nohup` sets. `release` restores the
 * earlier handling, unless a signal came: then the next is the second.
 */
export function handleRunSignals(context: Context, abort: RunAbort) {
  const { clock, note, interceptSignals, exitNow, signal: earlier } = context;
  const explanation = new AbortController();
  const { promise: abandoned, resolve } = Promise.withResolvers<void>();
  let received = 0;
  const onSignal = (signal: TerminationSignal): void => {
    if (signal === "SIGHUP" && !hasTerminal(context)) return;
    received += 1;
    const failure = signalFailure(signal);
    if (received === 1) {
      abort.stop(failure);
      const again = signal === "SIGINT" ? "Ctrl-C again" : "a second signal";
      const text = `Waiting for requests in flight to finish; ${again} stops now and leaves their outcome unknown.`;
      const explain = clock.sleep(explainAfterMs, explanation.signal);
      explain.then(() => note(text)).catch(() => {});
    }
    if (received !== 2) return;
    explanation.abort();
    abort.abandon(failure);
    void clock.sleep(abandonGraceMs).then(resolve);
    // Standard error may block, for example if its reader has stopped.
    void clock.sleep(2 * abandonGraceMs).then(() => exitNow(signal));
  };
  // A signal that arrived earlier is handled here, or not at all.
  if (earlier.aborted) abort.stop(earlier.reason);
  const restore = interceptSignals(onSignal);
  const release = (): void => {
    explanation.abort();
    if (received === 0) restore();
  };
  return { abandoned, release };
}
