import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { Machine } from "../io.ts";

/** What is needed of the process itself. */
interface ProcessSource {
  readonly pid: number;
  /** Throws where no process has this id, or it may not be signalled (kill(2)). */
  kill(pid: number, signal: 0): unknown;
}

const bootIdDigits = 8;

/** The machine that `source` runs on. */
export function makeMachine(source: ProcessSource): Machine {
  let boot: string | undefined;
  return {
    pid: source.pid,
    isAlive: (pid) => isAlive(source, pid),
    uptime: () => Math.floor(uptimeSeconds() * 1000),
    boot: () => (boot ??= bootId()),
  };
}

function isAlive(source: ProcessSource, pid: number): boolean {
  try {
    source.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Where a sandbox hides the uptime, the epoch is as good a start as any. */
function uptimeSeconds(): number {
  try {
    return uptime();
  } catch {
    return Date.now() / 1000;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, bootIdDigits);
  } catch {
    return "";
  }
}
