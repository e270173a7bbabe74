import { onTestFinished } from "vitest";
import { parsePlan, type Plan } from "../../../src/server/rate-limits/plans.ts";
import { openStorage } from "../../../src/server/storage/open.ts";
import type { Database } from "../../../src/server/storage/postgres/database.ts";
import type { StoreData } from "../../../src/server/storage/storage.ts";

/** Opens the data at `url`; it is closed when the test ends. */
export async function open(url: string, now: () => number = Date.now): Promise<StoreData> {
  const data = await openStorage(url, now);
  onTestFinished(() => data.storage.close());
  return data;
}

/** Uses `count` connections at the same time, in a transaction each; `meanwhile` is called when all are in use. */
export async function useAtOnce(
  { use }: Database,
  count: number,
  meanwhile = () => {},
): Promise<void> {
  const all = Promise.withResolvers<void>();
  let used = 0;
  const one = () =>
    use(async ({ runAll }) => {
      await runAll("BEGIN");
      used += 1;
      if (used === count) {
        meanwhile();
        all.resolve();
      }
      await all.promise;
      await runAll("COMMIT");
    });
  await Promise.all(Array.from({ length: count }, one));
}

export const planNamed = (name: string): Plan => {
  const plan = parsePlan(name);
  if (plan === undefined) throw new Error(`no plan: ${name}`);
  return plan;
};
