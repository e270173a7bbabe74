import { readFileSync } from "node:fs";
import { uptime as systemUptime } from "node:os";
import { isSystemError } from "../core/errors.ts";
import type { Machine } from "./io.ts";

/** What is needed of the process itself. */
interface ProcessSource {
  readonly pid: number;
  /** Throws where no process has this id, or it may not be signalled (kill(2)). */
  kill(pid: number, signal: 0): unknown;
}

const bootIdDigits = 8;
/** How long an uptime that was read is counted on from, in ms: reading it takes a file. */
const cacheMs = 100;

/** The machine that `source` runs on; `monotonic` is ms that never go back, and may stop in its sleep. */
export function makeMachine(source: ProcessSource, monotonic: () => number): Machine {
  let boot: string | undefined;
  let read: { readonly uptime: number; readonly at: number } | undefined;
  return {
    pid: source.pid,
    isAlive: (pid) => isAlive(source, pid),
    uptime() {
      const at = monotonic();
      if (read === undefined || at - read.at > cacheMs)
        read = { uptime: uptimeSeconds() * 1000, at };
      return Math.floor(read.uptime + at - read.at);
    },
    bootId: () => (boot ??= bootId()),
  };
}

function isAlive(source: ProcessSource, pid: number): boolean {
  try {
    source.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    return !isSystemError(error, "ESRCH");
  }
  return !isZombie(pid);
}

/** Whether a process is dead, and only waits for its parent to notice (proc_pid_stat(5)). */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program stands in brackets, and may hold any.
    return stat[stat.lastIndexOf(")") + 2] === "Z";
  } catch {
    return false;
  }
}

/**
 * What os.uptime answers, which itself looks here first (proc_uptime(5)): loading node:os takes longer
 * than all the rest. Where a sandbox hides the uptime, the epoch is as good a start as any.
 */
function uptimeSeconds(): number {
  try {
    const seconds = Number.parseFloat(readFileSync("/proc/uptime", "latin1"));
    if (seconds > 0) return seconds;
  } catch {
    // Only Linux has it.
  }
  try {
    return systemUptime();
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
