/** An item of a batch, and how to settle the promise of its caller. */
export interface Waiting<Item, Outcome> extends PromiseWithResolvers<Outcome> {
  readonly item: Item;
}

/**
 * Returns a function that collects items for `work`. Those of one turn of the event loop, or that arrive while it is
 * busy, form one batch, so that they share one round trip and one commit. `work` settles each item; if it throws, the
 * items that it has not settled are rejected. At most `concurrency` batches of `maxBatch` items run at once.
 */
export function createBatcher<Item, Outcome>(
  work: (batch: readonly Waiting<Item, Outcome>[]) => Promise<void>,
  { concurrency, maxBatch }: { readonly concurrency: number; readonly maxBatch: number },
): (item: Item) => Promise<Outcome> {
  const waiting: Waiting<Item, Outcome>[] = [];
  let underWay = 0;
  let isPlanned = false;
  const schedule = (): void => {
    if (isPlanned || underWay === concurrency || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => void begin());
  };
  const begin = async (): Promise<void> => {
    isPlanned = false;
    underWay += 1;
    const batch = waiting.splice(0, maxBatch);
    schedule();
    try {
      await work(batch);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay -= 1;
    schedule();
  };
  return (item) => {
    const one = { item, ...Promise.withResolvers<Outcome>() };
    waiting.push(one);
    schedule();
    return one.promise;
  };
}
