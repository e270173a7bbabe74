/** Into how many parts a time is split that is measured. */
const ticks = 20;

/**
 * Returns what `work` does; rejects if that takes longer than `ms`. Counts the ticks of a timer, which has
 * none while this process gets no CPU: so a busy machine is not mistaken for a slow server.
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
