import { type Clock, maxTimerMs } from "./io.ts";

/** Returns the machine's clocks and timers. `nanoseconds` is `process.hrtime.bigint`. */
export function makeClock(nanoseconds: () => bigint): Clock {
  const monotonic = (): number => Number(nanoseconds()) / 1e6;
  return {
    now: () => Date.now(),
    monotonic,
    async sleep(ms, signal) {
      const end = monotonic() + ms;
      for (let left = ms; left > 0; left = end - monotonic()) {
        await timer(Math.min(Math.ceil(left), maxTimerMs), signal);
      }
    },
  };
}

function timer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = (): void => {
      clearTimeout(timeout);
      reject(signal.reason);
    };
    const timeout = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}
