/** An item of a batch, and how to answer whoever asked for it. */
export interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** How batches are made. */
export interface BatchLimits {
  /** How many may be under way at once. */
  readonly concurrency: number;
  /** How many items one may have. */
  readonly maxBatch: number;
}

/**
 * Gives `work` what was asked for in one turn of the event loop, or while it was busy, as one batch:
 * the price of a round trip, and of a commit, is then paid once. `work` settles each item; where it
 * throws, all that it has not settled are rejected.
 */
export function createBatcher<Item, Outcome>(
  work: (batch: readonly Waiting<Item, Outcome>[]) => Promise<void>,
  { concurrency, maxBatch }: BatchLimits,
): (item: Item) => Promise<Outcome> {
  const waiting: Waiting<Item, Outcome>[] = [];
  let underWay = 0;
  let isPlanned = false;
  const schedule = (): void => {
    if (isPlanned || underWay === concurrency || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      void begin();
    });
  };
  const begin = async (): Promise<void> => {
    const batch = waiting.splice(0, maxBatch);
    underWay += 1;
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
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    waiting.push({ item, resolve, reject });
    schedule();
    return promise;
  };
}
