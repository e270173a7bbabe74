import { pageSize } from "../../core/api.ts";
import type { PetStatus } from "../../core/pet-fields.ts";
import { emptyUsage } from "../rate-limits/limits.ts";
import { noQuotas, parsePlan } from "../rate-limits/plans.ts";
import type { UsageLedger } from "../rate-limits/usage-ledger.ts";
import { type StatusCounts, type Storage, totalOf } from "../storage/storage.ts";

/** A count stays valid for this many times as long as it took, so that counting takes 5% of the time at most. */
const freshTimes = 20;

/** Returns a function that counts the animals by status, less often if that takes long. */
export function animalCounter(storage: Pick<Storage, "countByStatus">) {
  let counts: Promise<StatusCounts> | undefined;
  let expiresAt = -Infinity;
  return (): Promise<StatusCounts> => {
    const start = performance.now();
    if (counts !== undefined && start < expiresAt) return counts;
    expiresAt = Infinity;
    counts = storage.countByStatus().finally(() => {
      const end = performance.now();
      expiresAt = end + freshTimes * (end - start);
    });
    return counts;
  };
}

/** Returns what the page shows about the animals: the newest of a status, and how many there are of each. */
export async function animalsJson(
  storage: Pick<Storage, "list">,
  counts: StatusCounts,
  status: PetStatus | undefined,
): Promise<string> {
  const pets = Buffer.from(await storage.list({ limit: pageSize.max, status })).toString();
  const byStatus = [...counts].map(([each, count]) => [each ?? "none", count]);
  const head = JSON.stringify({ total: totalOf(counts), counts: Object.fromEntries(byStatus) });
  return `${head.slice(0, -1)},"pets":${pets}}`;
}

/** The parts of a store that the page shows. */
export interface ShownParts {
  readonly storage: Storage;
  readonly limits: Pick<UsageLedger, "usagesOf">;
  /** The store's time, in ms since the epoch. */
  readonly now: () => number;
}

/** Returns each key with its plan, the usage of its windows, and its wait or ban; times are ms since the epoch. */
export async function keyLimits({ storage, limits, now: clock }: ShownParts) {
  const keys = (await storage.listKeys()).map(({ id, plan }) => ({
    id,
    plan,
    quotas: parsePlan(plan)?.quotas ?? noQuotas,
  }));
  const { now, usages } = await limits.usagesOf(keys, clock());
  return {
    now,
    keys: keys.map(({ id, plan, quotas }, at) => {
      const usage = usages[at] ?? emptyUsage;
      return {
        id,
        plan,
        windows: quotas.map(({ limit, windowMs }, place) => ({
          used: usage.counts[place]?.requests ?? 0,
          limit: limit === Infinity ? null : limit,
          resetAt: usage.counts[place]?.end ?? 0,
          seconds: windowMs / 1000,
        })),
        waitUntil: usage.refusal?.until ?? null,
        bannedUntil: usage.bannedUntil ?? null,
      };
    }),
  };
}
