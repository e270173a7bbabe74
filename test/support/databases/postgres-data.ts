import { onTestFinished } from "vitest";
import { parsePlan, type Plan } from "../../../src/server/rate-limits/plans.ts";
import { openStorage } from "../../../src/server/storage/open.ts";
import type { StoreData } from "../../../src/server/storage/storage.ts";

/** Opens the data at `url`; it is closed when the test ends. */
export async function open(url: string, now: () => number = Date.now): Promise<StoreData> {
  const data = await openStorage(url, now);
  onTestFinished(() => data.storage.close());
  return data;
}

export const planNamed = (name: string): Plan => {
  const plan = parsePlan(name);
  if (plan === undefined) throw new Error(`no plan: ${name}`);
  return plan;
};
