/** Returns what collects items, of one turn or while `work` is busy, for one call of it; an Error rejects its item. */
export function createBatcher<Item, Outcome>(
  work: (items: readonly Item[]) => Promise<readonly (Outcome | Error)[]>,
  { concurrency, maxBatch }: { readonly concurrency: number; readonly maxBatch: number },
): (item: Item) => Promise<Outcome> {
  const waiting: (PromiseWithResolvers<Outcome> & { readonly item: Item })[] = [];
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
      const outcomes = await work(batch.map(({ item }) => item));
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome instanceof Error) batch[at]?.reject(outcome);
        else batch[at]?.resolve(outcome);
      }
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
