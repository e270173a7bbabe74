import { builtin } from "../builtin.ts";
import { endedBy } from "../errors.ts";
import type { EndSignal, OtherSignal, Signals } from "../io.ts";

type AnySignal = EndSignal | OtherSignal;

const otherSignals = [
  "SIGQUIT",
  "SIGUSR1",
  "SIGUSR2",
  "SIGALRM",
  "SIGCONT",
  "SIGWINCH",
] as const satisfies readonly OtherSignal[];

/** What is needed of the process to hear signals and to leave. */
export interface SignalSource {
  on<Name extends AnySignal>(signal: Name, listener: (signal: Name) => void): unknown;
  off<Name extends AnySignal>(signal: Name, listener: (signal: Name) => void): unknown;
  exit(code: number): void;
}

/** The signals, and what Ctrl-C does where it is a key. */
export type HeardSignals = Signals & { readonly interrupt: () => void };

/**
 * Hears SIGINT and SIGTERM: the first aborts `signal` with a Failure (exit 130, 143), a second one
 * leaves at once. While a command has taken the signals, they go to it, SIGHUP included.
 */
export function hearSignals(source: SignalSource): HeardSignals {
  const controller = new AbortController();
  let taker: ((signal: EndSignal) => void) | undefined;
  const leave = (signal: EndSignal): void =>
    source.exit(128 + builtin("node:os").constants.signals[signal]);
  const hear = (signal: EndSignal): void => {
    if (taker !== undefined) taker(signal);
    else if (controller.signal.aborted) leave(signal);
    else controller.abort(endedBy(signal));
  };
  source.on("SIGINT", hear);
  source.on("SIGTERM", hear);
  return {
    signal: controller.signal,
    interrupt: () => hear("SIGINT"),
    leave,
    takeSignals(listener) {
      taker = listener;
      source.on("SIGHUP", hear);
      return () => {
        taker = undefined;
        source.off("SIGHUP", hear);
      };
    },
    takeOtherSignals(listener) {
      for (const name of otherSignals) source.on(name, listener);
      return () => {
        for (const name of otherSignals) source.off(name, listener);
      };
    },
  };
}
