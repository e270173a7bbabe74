import { pageSize } from "../../core/api.ts";
import type { PetStatus } from "../../core/pet-fields.ts";
import { defaultWindows, parsePlan, type Plan, type WindowLengths } from "../rate-limits/plans.ts";
import type { Usage } from "../rate-limits/limits.ts";
import type { AuthParts } from "../routes/auth.ts";
import { totalOf } from "../storage/status-counts.ts";
import type { StatusCounts, Storage } from "../storage/storage.ts";

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

/** Returns each key with its plan, the usage of its windows, and its wait or ban. */
export async function keyLimits({ storage, limits, now }: AuthParts) {
  const keys = (await storage.listKeys()).map(({ id, plan: name }) => {
    const plan = parsePlan(name);
    return { id, name, plan, windows: plan?.windows ?? defaultWindows };
  });
  const moment = now();
  const usages = await limits.usagesOf(keys, moment);
  return {
    now: isoTime(moment),
    keys: keys.flatMap(({ id, name, plan, windows }, at) => {
      const usage = usages[at];
      if (usage === undefined) return [];
      return [{ id, plan: name, ...limitsOf(plan, windows, usage) }];
    }),
  };
}

function limitsOf(
  plan: Plan | undefined,
  windows: WindowLengths,
  { minute, day, refusal, bannedUntil }: Usage,
) {
  const windowOf = ({ end, requests }: Usage["minute"], limit: number | undefined, ms: number) => ({
    used: requests,
    limit: limit === undefined || limit === Infinity ? null : limit,
    resetAt: isoTime(end),
    seconds: ms / 1000,
  });
  return {
    windows: [
      windowOf(minute, plan?.perMinute, windows.minute),
      windowOf(day, plan?.perDay, windows.day),
    ],
    waitUntil: refusal === undefined ? null : isoTime(refusal.until),
    bannedUntil: bannedUntil === undefined ? null : isoTime(bannedUntil),
  };
}

function isoTime(moment: number): string {
  return new Date(moment).toISOString();
}
