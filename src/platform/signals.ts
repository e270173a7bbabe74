import { constants } from "node:os";
import { signalFailure } from "../core/errors.ts";
import {
  type ForwardedSignal,
  forwardedSignals,
  type Signals,
  type TerminationSignal,
} from "./io.ts";

type AnySignal = TerminationSignal | ForwardedSignal;

export interface SignalSource {
  on<Name extends AnySignal>(signal: Name, listener: (signal: Name) => void): unknown;
  off<Name extends AnySignal>(signal: Name, listener: (signal: Name) => void): unknown;
  exit(code: number): void;
}

/** Handles SIGINT and SIGTERM: the first aborts `signal`, a second exits. An interceptor gets them instead, SIGHUP too. */
export function installSignalHandlers(source: SignalSource): Signals & { interrupt(): void } {
  const controller = new AbortController();
  let interceptor: ((signal: TerminationSignal) => void) | undefined;
  const leave = (signal: TerminationSignal): void => source.exit(128 + constants.signals[signal]);
  const hear = (signal: TerminationSignal): void => {
    if (interceptor !== undefined) interceptor(signal);
    else if (controller.signal.aborted) leave(signal);
    else controller.abort(signalFailure(signal));
  };
  source.on("SIGINT", hear);
  source.on("SIGTERM", hear);
  return {
    signal: controller.signal,
    interrupt: () => hear("SIGINT"),
    exitNow: leave,
    interceptSignals(listener) {
      interceptor = listener;
      source.on("SIGHUP", hear);
      return () => {
        interceptor = undefined;
        source.off("SIGHUP", hear);
      };
    },
    interceptForwarded(listener) {
      for (const name of forwardedSignals) source.on(name, listener);
      return () => {
        for (const name of forwardedSignals) source.off(name, listener);
      };
    },
  };
}
