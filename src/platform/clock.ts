import { setTimeout as delay } from "node:timers/promises";
import { type Clock, maxTimerMs } from "./io.ts";

/** Returns the machine's clocks and timers. `nanoseconds` is `process.hrtime.bigint`. */
export function makeClock(nanoseconds: () => bigint): Clock {
  const monotonic = (): number => Number(nanoseconds()) / 1e6;
  return {
    now: () => Date.now(),
    monotonic,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      const end = monotonic() + ms;
      for (let left = ms; left > 0; left = end - monotonic()) {
        const timer = delay(Math.min(Math.ceil(left), maxTimerMs), undefined, { signal });
        await timer.catch(() => signal?.throwIfAborted());
      }
    },
  };
}
