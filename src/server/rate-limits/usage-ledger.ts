import { admit, type AdmissionDecision, peek, emptyUsage, type Usage } from "./limits.ts";
import { defaultWindows, type WindowLengths, type WindowState } from "./windows.ts";
import type { Plan } from "./plans.ts";
import type { ApiError } from "../routes/errors.ts";

/** A request that is answered with a Problem of its own, whatever the limits say: only in the lab. */
export interface ForcedRefusal {
  readonly allowed: false;
  readonly window: WindowState;
  readonly code: "forced";
  readonly error: ApiError;
}

/** Who has asked how often: the limits of keys, and the window that a 401 tells of. */
export interface UsageLedger {
  /** Decides on a request of the key `keyId`, and remembers it. Throws a NoSuchKey where it is known to be gone. */
  admit(keyId: string, plan: Plan, now: number): Promise<AdmissionDecision | ForcedRefusal>;
  /** What was last told of the key `keyId`, as it is at `now`: for when a decision can't be had. */
  lastWindow?(keyId: string, now: number): WindowState | undefined;
  /** Counts a request without a valid key from `address`; it is never refused for it. */
  countAnonymous(address: string, now: number): WindowState;
}

/** The key that asks was removed a moment ago. */
export class UnknownKey extends Error {}

/** A LimitBook that is this process's own: it can be looked into, and begun again. */
export interface LocalLedger extends UsageLedger {
  admit(keyId: string, plan: Plan, now: number): Promise<AdmissionDecision>;
  /** The window of a key without another request, and whether one would be let through. */
  peek(keyId: string, plan: Plan, now: number): ReturnType<typeof peek>;
  /** Forgets all counts, refusals and bans. */
  clear(): void;
}

/** What a 401 tells of: requests a minute for a remote address (store.md, Limits). */
const anonymousLimit = 60;
/** More addresses than this in one window are not told apart, to bound memory. */
const maxAddresses = 10_000;

/** What is remembered of each key, by its id. */
export type UsageMap = Pick<Map<string, Usage>, "get" | "set" | "clear">;

/** A LimitBook that lives as long as the process; it counts by the minute and day unless told otherwise. */
export function memoryLedger(windows: WindowLengths = defaultWindows): LocalLedger {
  return ledgerOn(new Map(), windows);
}

/** A LimitBook that remembers in `usages`, which nobody else may change. */
export function ledgerOn(usages: UsageMap, windows: WindowLengths = defaultWindows): LocalLedger {
  const anonymous = anonymousCounter(windows.minute);
  return {
    admit: async (keyId, plan, now) => {
      const [decision, usage] = admit(plan, usages.get(keyId) ?? emptyUsage, now, windows);
      usages.set(keyId, usage);
      return decision;
    },
    peek: (keyId, plan, now) => peek(plan, usages.get(keyId) ?? emptyUsage, now, windows),
    countAnonymous: anonymous.count,
    clear: () => {
      usages.clear();
      anonymous.clear();
    },
  };
}

/** Counts requests without a valid key in windows of `length` ms. */
export function anonymousCounter(length: number) {
  const counts = new Map<string, number>();
  let start = 0;
  const count: UsageLedger["countAnonymous"] = (address, now) => {
    const current = now - (now % length);
    if (current !== start || counts.size > maxAddresses) counts.clear();
    start = current;
    const requests = (counts.get(address) ?? 0) + 1;
    counts.set(address, requests);
    const remaining = Math.max(0, anonymousLimit - requests);
    return { limit: anonymousLimit, remaining, resetAt: start + length };
  };
  return { count, clear: () => counts.clear() };
}
