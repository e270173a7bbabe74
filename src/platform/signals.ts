import type { EventEmitter } from "node:events";
import { signalFailure } from "../core/errors.ts";
import {
  forwardedSignals,
  type Signals,
  type TerminationSignal,
  terminationSignals,
} from "./io.ts";

/**
 * Handles the signals that end a program: the first aborts `signal`, a second ends the process. An interceptor gets them
 * instead. Without a terminal SIGHUP is none of them.
 */
export function installSignalHandlers(
  source: EventEmitter,
  endBy: (signal: TerminationSignal) => void,
  hasTerminal: boolean,
): Omit<Signals, "exitNow"> & {
  interrupt(): void;
  heard(): TerminationSignal | undefined;
} {
  const controller = new AbortController();
  let interceptor: ((signal: TerminationSignal) => void) | undefined;
  let heard: TerminationSignal | undefined;
  const hear = (signal: TerminationSignal): void => {
    heard = signal;
    if (interceptor !== undefined) interceptor(signal);
    else if (controller.signal.aborted) endBy(signal);
    else controller.abort(signalFailure(signal));
  };
  for (const name of terminationSignals)
    if (name !== "SIGHUP" || hasTerminal) source.on(name, hear);
  return {
    signal: controller.signal,
    /** Returns the last one that came. */
    heard: () => heard,
    interrupt: () => hear("SIGINT"),
    interceptSignals(listener) {
      interceptor = listener;
      return () => void (interceptor = undefined);
    },
    interceptForwarded(listener) {
      for (const name of forwardedSignals) source.on(name, listener);
      return () => {
        for (const name of forwardedSignals) source.off(name, listener);
      };
    },
  };
}
