import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { isSystemError } from "../core/errors.ts";
import type { Machine } from "./io.ts";

type ProcessSource = Pick<NodeJS.Process, "pid" | "platform" | "kill" | "getuid">;

const bootIdDigits = 8;
/** How often the uptime of a system changes; that of others, such as macOS, has whole seconds. */
const tickMs: Partial<Record<NodeJS.Platform, number>> = { linux: 10, win32: 16 };
/** How long an uptime that was read is extrapolated: reading it opens a file. */
const cacheMs = 100;

/** Returns the machine that `source` runs on; `monotonic` returns ms that never go back, and may pause in sleep. */
export function makeMachine(source: ProcessSource, monotonic: () => number): Machine {
  let boot: string | undefined;
  let read: { readonly uptime: number; readonly at: number } | undefined;
  return {
    pid: source.pid,
    uid: source.getuid?.(),
    isAlive: (pid) => isAlive(source, pid),
    startOf: (pid) => statOf(pid)[19] ?? "",
    uptime() {
      const at = monotonic();
      if (read === undefined || at - read.at > cacheMs)
        read = { uptime: uptimeSeconds() * 1000, at };
      return Math.floor(read.uptime + at - read.at);
    },
    tickMs: tickMs[source.platform] ?? 1000,
    bootId: () => (boot ??= readProc("sys/kernel/random/boot_id").slice(0, bootIdDigits)),
  };
}

function isAlive(source: ProcessSource, pid: number): boolean {
  try {
    source.kill(pid, 0);
  } catch (error) {
    // EPERM: it is running, as another user.
    return !isSystemError(error, "ESRCH");
  }
  // Dead, but not yet reaped by its parent.
  return statOf(pid)[0] !== "Z";
}

/** Returns what `/proc` says about a process, from its state on (proc_pid_stat(5)); nothing where there is no `/proc`. */
function statOf(pid: number): readonly string[] {
  // The program's name is in parentheses, and may contain some.
  return readProc(`${pid}/stat`)
    .replace(/^[^]*\) /, "")
    .split(" ");
}

/** Returns the text of a file in `/proc`; empty if there is none. */
function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, "latin1");
  } catch {
    return "";
  }
}

/** Returns the seconds since the machine was started; since the epoch in a sandbox that hides its uptime. */
function uptimeSeconds(): number {
  try {
    return uptime();
  } catch {
    return Date.now() / 1000;
  }
}
