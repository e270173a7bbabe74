/** The number of timer ticks into which a time limit is divided. */
const ticks = 20;
/** The maximum time by the clock, as a multiple of the time limit. */
const maxFactor = 3;

/**
 * Returns the result of `work`; rejects if that takes longer than `ms`. It counts the ticks of a timer, which
 * does not tick while this process gets no CPU, so that a busy machine is not mistaken for a slow server. A
 * server that keeps this process busy gets three times as long at most. `now` returns monotonic ms.
 */
export async function within<T>(
  ms: number,
  work: () => Promise<T>,
  now: () => number = () => performance.now(),
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const start = now();
  let left = ticks;
  const timer = setInterval(() => {
    left -= 1;
    if (left === 0 || now() - start > maxFactor * ms)
      reject(new Error(`it gave no answer within ${ms / 1000} s`));
  }, ms / ticks);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearInterval(timer);
  }
}
