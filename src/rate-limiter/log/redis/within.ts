/** The number of timer ticks into which a time limit is divided. */
const ticks = 100;
/** The maximum time by the clock, as a multiple of the time limit. */
const maxFactor = 3;

/** What `work` may take: `ms`, and as much as the server may send until `isTooMuch`. */
export interface WorkLimits {
  readonly ms: number;
  readonly isTooMuch?: () => boolean;
  readonly now?: () => number;
}

/**
 * Returns the result of `work`; rejects if it takes more than its limits. It counts the ticks of a timer, which
 * does not tick while this process gets no CPU, so that a busy machine is not mistaken for a slow server. A
 * server that keeps this process busy gets three times as long at most.
 */
export async function within<T>(
  { ms, isTooMuch = () => false, now = () => performance.now() }: WorkLimits,
  work: () => Promise<T>,
): Promise<T> {
  const { promise: exceeded, reject } = Promise.withResolvers<never>();
  const start = now();
  let left = ticks;
  const timer = setInterval(() => {
    left -= 1;
    if (isTooMuch()) reject(new Error("it sent too much"));
    if (left === 0 || now() - start > maxFactor * ms)
      reject(new Error(`it did not respond within ${ms / 1000} s`));
  }, ms / ticks);
  try {
    return await Promise.race([work(), exceeded]);
  } finally {
    clearInterval(timer);
  }
}
