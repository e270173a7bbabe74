/** The number of timer ticks into which a time limit is divided. */
const ticks = 20;

/**
 * Returns the result of `work`; rejects if that takes longer than `ms`. It counts the ticks of a timer, which
 * does not tick while this process gets no CPU, so that a busy machine is not mistaken for a slow server.
 */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let left = ticks;
  const timer = setInterval(() => {
    left -= 1;
    if (left === 0) reject(new Error(`it gave no answer within ${ms / 1000} s`));
  }, ms / ticks);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearInterval(timer);
  }
}
