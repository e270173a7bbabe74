import { makeClock } from "../../../src/platform/clock.ts";
import type { Clock, Machine } from "../../../src/platform/io.ts";
import { makeMachine } from "../../../src/platform/machine.ts";

export const systemClock = makeClock(() => process.hrtime.bigint());

export const thisMachine = makeMachine(process, () => systemClock.monotonic());

/** The same machine, a minute later. */
export const laterMachine = { ...thisMachine, uptime: () => thisMachine.uptime() + 61_000 };

/** Returns a machine that was started with its clock, and on which only this process runs. */
export function testMachine(clock: Pick<Clock, "monotonic">, more: Partial<Machine> = {}): Machine {
  return {
    pid: process.pid,
    isAlive: (pid) => pid === process.pid,
    startOf: () => "",
    uptime: () => Math.floor(clock.monotonic()),
    tickMs: 10,
    bootId: () => "testboot",
    ...more,
  };
}
