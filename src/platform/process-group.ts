import { setTimeout as delay } from "node:timers/promises";

/** Sends a signal to a process, or with a negative id to a process group (kill(2)). */
export type Kill = (pid: number, signal: NodeJS.Signals) => unknown;

/** Ends the process group that `leader` leads: with SIGTERM, and after `graceMs` with SIGKILL. */
export async function endGroup(leader: number, kill: Kill, graceMs: number): Promise<void> {
  killGroup(leader, "SIGTERM", kill);
  await delay(graceMs);
  killGroup(leader, "SIGKILL", kill);
}

function killGroup(leader: number, signal: NodeJS.Signals, kill: Kill): void {
  try {
    kill(-leader, signal);
  } catch {
    // It is gone.
  }
}
