import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isSystemError } from "../core/errors.ts";
import { processStat } from "./machine.ts";

/** Sends a signal to a process, or with a negative id to a process group (kill(2)). */
export type Kill = (pid: number, signal: NodeJS.Signals) => unknown;

/** Returns whether this process has a terminal on which its children may ask the user, whatever its streams are. */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

/**
 * Ends a process and all that it started: with SIGTERM, and after `graceMs` with SIGKILL. `isGroup` if it leads a
 * process group of its own.
 */
export async function endProcesses(
  { pid, isGroup }: { readonly pid: number; readonly isGroup: boolean },
  kill: Kill,
  graceMs: number,
): Promise<void> {
  // Once its parent is gone, a process can no longer be found below it.
  const pids = isGroup ? [-pid] : [pid, ...descendants(pid, processes())];
  for (const each of pids) killIfThere(each, "SIGTERM", kill);
  await delay(graceMs);
  for (const each of pids) killIfThere(each, "SIGKILL", kill);
}

function killIfThere(pid: number, signal: NodeJS.Signals, kill: Kill): void {
  try {
    kill(pid, signal);
  } catch (error) {
    // macOS reports EPERM for a group that contains only zombies.
    if (!isSystemError(error, "ESRCH") && !isSystemError(error, "EPERM")) throw error;
  }
}

/** The ids of a process and of its parent. */
export type ProcessIds = readonly [pid: number, parent: number];

/** Returns the ids of all processes below `pid`. */
export function descendants(pid: number, all: readonly ProcessIds[]): readonly number[] {
  const children = all.filter(([, parent]) => parent === pid).map(([child]) => child);
  return children.concat(children.flatMap((child) => descendants(child, all)));
}

/** Returns the running processes by `/proc`, else by ps(1); none if neither is available. */
function processes(): readonly ProcessIds[] {
  try {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return pids.map((pid) => [pid, Number(processStat(pid)[1])]);
  } catch {
    return listedByPs();
  }
}

function listedByPs(): readonly ProcessIds[] {
  try {
    const text = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
    return text.split("\n").map((line) => {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
      return [pid, parent];
    });
  } catch {
    return [];
  }
}
