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

function timer(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timeout = setTimeout(resolve, ms);
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  return promise.finally(() => {
    clearTimeout(timeout);
    signal?.removeEventListener("abort", abort);
  });
}
