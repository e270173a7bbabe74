import { constants } from "node:os";
import type { TerminationSignal } from "./io.ts";

/** How long a signal may take to end the process: the first process of a container ignores it. */
const deliveryMs = 100;

/** Returns how `process` ends, and what it does then. */
export function makeEnding(process: NodeJS.Process) {
  const steps = new Set<() => void>();
  const takeSteps = (): void => {
    for (const step of steps) step();
    steps.clear();
  };
  process.once("exit", takeSteps);
  // Neither can Windows replace a process, nor the standalone executable run anything else.
  const isReplaceable = (): boolean =>
    process.platform !== "win32" && !process.getBuiltinModule("node:sea").isSea();
  const exit = (code: number): void => {
    takeSteps();
    // Node would wait for each look-up of a name, up to 20 s if the name server does not respond.
    if (process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap") && isReplaceable()) {
      const env = { ...process.env, NODE_OPTIONS: "" };
      const { execPath } = process;
      process.execve?.(execPath, [execPath, "-e", `process.exit(${code})`], env);
    }
    process.exit(code);
  };
  const endBy = (signal: TerminationSignal): void => {
    const code = 128 + constants.signals[signal];
    if (process.platform === "win32") return exit(code);
    takeSteps();
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => exit(code), deliveryMs);
  };
  return {
    atExit: (step: () => void): (() => void) => {
      steps.add(step);
      return () => void steps.delete(step);
    },
    /** Ends the process by a signal, so that a loop of the shell ends too: its exit code alone would not do that. */
    endBy,
    /** Ends the process with `code`, or by the signal `heard` if the code stands for it (POSIX.1, 2.8.2). */
    end: (code: number, heard: TerminationSignal | undefined): void => {
      if (heard !== undefined && code === 128 + constants.signals[heard]) endBy(heard);
      else exit(code);
    },
  };
}
