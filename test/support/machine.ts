import type { Clock, Machine } from "../../src/platform/io.ts";

/** A machine that was started when its clock was, on which this process alone is known to run. */
export function testMachine(clock: Pick<Clock, "monotonic">, more: Partial<Machine> = {}): Machine {
  return {
    pid: process.pid,
    isAlive: (pid) => pid === process.pid,
    uptime: () => Math.floor(clock.monotonic()),
    bootId: () => "testboot",
    ...more,
  };
}
