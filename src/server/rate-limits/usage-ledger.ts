import type { WindowState } from "../api/response.ts";
import type { Moment } from "../clock.ts";
import {
  admit,
  type AdmissionDecision,
  defaultBanMs,
  emptyUsage,
  peek,
  pruneExpired,
  type Usage,
} from "./limits.ts";
import { minuteMs, type Plan, type Quota } from "./plans.ts";

/** Counts requests: the limits of keys, and the window of a 401. */
export interface UsageLedger {
  /** Decides on a request and counts it, by the store's time. Throws an ApiError (401) if the key was removed. */
  admit(
    keyId: string,
    plan: Plan,
    moments: { readonly arrived: Moment; readonly now: Moment },
    isEarly?: boolean,
  ): Promise<AdmissionDecision>;
  /** Returns the last known window of the key `keyId` if it has not ended, for when no decision is possible. */
  lastWindow?(keyId: string, now: number): WindowState | undefined;
  /** Counts a request without a valid key from `address`; it is never refused. */
  countAnonymous(address: string, now: number): WindowState;
  /** Returns what is remembered about each key, and the time at which that holds: `now`, or the database's. */
  usagesOf(
    keys: readonly { readonly id: string; readonly quotas: readonly Quota[] }[],
    now: Moment,
  ): Promise<{ readonly now: number; readonly usages: readonly Usage[] }>;
}

/** A ledger of this process alone: it can be read and reset. */
export interface LocalLedger extends UsageLedger {
  /** Returns the window of a key without another request, and whether one would be admitted. */
  readonly peek: (keyId: string, plan: Plan, now: Moment) => ReturnType<typeof peek>;
  /** Removes all counts, refusals and bans. */
  clear(): void;
}

export type UsageMap = Pick<Map<string, Usage>, "get" | "set" | "clear">;

/** Returns a ledger whose bans last `banMs`; it must be the only one to change `usages`. */
export function memoryLedger(banMs = defaultBanMs, usages: UsageMap = new Map()): LocalLedger {
  const anonymous = anonymousCounter();
  const bound = elapsedBounds(banMs);
  const usageOf = (keyId: string, { store, elapsed }: Moment): Usage =>
    bound(keyId, usages.get(keyId) ?? emptyUsage, store, elapsed);
  return {
    admit: async (keyId, plan, { arrived, now }, isEarly) => {
      const moments = { arrivedAt: now.store - (now.real - arrived.real), now: now.store };
      const [decision, usage] = admit(plan, usageOf(keyId, now), moments, banMs, isEarly);
      usages.set(keyId, usage);
      return decision;
    },
    peek: (keyId, plan, now) => peek(plan, usageOf(keyId, now), now.store),
    countAnonymous: anonymous.count,
    usagesOf: async (keys, now) => ({
      now: now.store,
      usages: keys.map(({ id, quotas }) => pruneExpired(usageOf(id, now), now.store, quotas)),
    }),
    clear: () => {
      usages.clear();
      anonymous.clear();
    },
  };
}

/** Less than this, in ms, is no step of a clock. */
const minStepMs = 1_000;

/** Returns a function that bounds waits and bans by the time since each was first seen: `now` may step back. */
export function elapsedBounds(banMs = defaultBanMs) {
  const seen = new Map<string, { readonly since: unknown; readonly end: number }>();
  return (keyId: string, usage: Usage, now: number, elapsed: number): Usage => {
    const { refusal, bannedUntil } = usage;
    const [since, maxMs] = bannedUntil === undefined ? [refusal?.at, Infinity] : ["ban", banMs];
    const until = bannedUntil ?? refusal?.until;
    if (until === undefined) {
      seen.delete(keyId);
      return usage;
    }
    const known = seen.get(keyId);
    const isKnown = known !== undefined && known.since === since;
    const end = isKnown ? known.end : elapsed + Math.min(until - now, maxMs);
    seen.set(keyId, { since, end });
    const bounded = Math.floor(now + end - elapsed);
    if (bounded + minStepMs > until) return usage;
    return refusal === undefined
      ? { ...usage, bannedUntil: bounded }
      : { ...usage, refusal: { ...refusal, until: bounded } };
  };
}

/** The limit in a 401: requests a minute for a remote address (`help store`). */
const anonymousLimit = 60;
/** Beyond this, the counts of all addresses are cleared, to bound memory. */
const maxAddresses = 10_000;

/** Counts requests without a valid key by the minute. */
export function anonymousCounter() {
  const counts = new Map<string, number>();
  let start = 0;
  const count: UsageLedger["countAnonymous"] = (address, now) => {
    const current = now - (now % minuteMs);
    if (current !== start || counts.size > maxAddresses) counts.clear();
    start = current;
    const requests = (counts.get(address) ?? 0) + 1;
    counts.set(address, requests);
    const remaining = Math.max(0, anonymousLimit - requests);
    return { limit: anonymousLimit, remaining, resetAt: start + minuteMs };
  };
  return { count, clear: () => counts.clear() };
}
