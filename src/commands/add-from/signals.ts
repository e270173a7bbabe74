import { signalFailure } from "../../core/errors.ts";
import { hasTerminal, type TerminationSignal } from "../../platform/io.ts";
import type { ImportJob } from "./job.ts";

/** Within it an abandoned run prints how it ended: its output may block. */
const abandonGraceMs = 1000;
const explainAfterMs = 300;

/**
 * Stops a job at the first termination signal, so that requests in flight can finish and results be written, and abandons
 * it at the second. SIGHUP counts only if the run has a terminal, which is then gone: Node does not keep the SIG_IGN that
 * `nohup` sets. The job restores the earlier handling when it is closed.
 */
export function handleSignals(job: ImportJob): void {
  const { context, abort } = job;
  const { clock, note, interceptSignals, exitNow, signal: earlier } = context;
  const explanation = new AbortController();
  let received = 0;
  const onSignal = (signal: TerminationSignal): void => {
    if (signal === "SIGHUP" && !hasTerminal(context)) return;
    received += 1;
    const failure = signalFailure(signal);
    if (received === 1) {
      abort.stop(failure);
      const again = signal === "SIGINT" ? "Ctrl-C again" : "a second signal";
      const sending = `Waiting for requests in flight to finish; ${again} stops now and leaves their outcome unknown.`;
      const writing = `Writing the results; ${again} stops now.`;
      const explain = clock.sleep(explainAfterMs, explanation.signal);
      explain.then(() => note(abort.isSending ? sending : writing)).catch(() => {});
    }
    if (received !== 2) return;
    explanation.abort();
    abort.abandon(failure);
    void clock.sleep(abandonGraceMs).then(() => exitNow(signal));
  };
  // A signal that arrived earlier is handled here, or not at all.
  if (earlier.aborted) abort.stop(earlier.reason);
  const restore = interceptSignals(onSignal);
  job.onClose(() => {
    explanation.abort();
    restore();
  });
}
