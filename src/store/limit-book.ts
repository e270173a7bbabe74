import { admit, type Decision, unused, type Usage, type WindowState } from "./limits.ts";
import type { Plan } from "./plans.ts";

/** Who has asked how often: the limits of keys, and the window that a 401 tells of. */
export interface LimitBook {
  /** Decides on a request of the key `keyId`, and remembers it. */
  admit(keyId: string, plan: Plan, now: number): Promise<Decision>;
  /** Counts a request without a valid key from `address`; it is never refused for it. */
  countStranger(address: string, now: number): WindowState;
}

/** What a 401 tells of: requests a minute for a remote address (store.md, Limits). */
const strangerLimit = 60;
const minute = 60_000;
/** More addresses than this in one minute are not told apart, to bound memory. */
const mostStrangers = 10_000;

/** A LimitBook that lives as long as the process. */
export function memoryLimitBook(): LimitBook {
  const usages = new Map<string, Usage>();
  return {
    admit: async (keyId, plan, now) => {
      const [decision, usage] = admit(plan, usages.get(keyId) ?? unused, now);
      usages.set(keyId, usage);
      return decision;
    },
    countStranger: strangerCounter(),
  };
}

function strangerCounter(): LimitBook["countStranger"] {
  const counts = new Map<string, number>();
  let start = 0;
  return (address, now) => {
    const current = now - (now % minute);
    if (current !== start || counts.size > mostStrangers) counts.clear();
    start = current;
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    const remaining = Math.max(0, strangerLimit - count);
    return { limit: strangerLimit, remaining, resetAt: start + minute };
  };
}
