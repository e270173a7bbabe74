import {
  admit,
  type Decision,
  realWindows,
  unused,
  type Usage,
  type WindowLengths,
  type WindowState,
} from "./limits.ts";
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
/** More addresses than this in one window are not told apart, to bound memory. */
const mostStrangers = 10_000;

/** What is remembered of each key, by its id. */
export type Usages = Pick<Map<string, Usage>, "get" | "set">;

/** A LimitBook that lives as long as the process; it counts by the minute and day unless told otherwise. */
export function memoryLimitBook(windows: WindowLengths = realWindows): LimitBook {
  return limitBookOn(new Map(), windows);
}

/** A LimitBook that remembers in `usages`, which nobody else may change. */
export function limitBookOn(usages: Usages, windows: WindowLengths = realWindows): LimitBook {
  return {
    admit: async (keyId, plan, now) => {
      const [decision, usage] = admit(plan, usages.get(keyId) ?? unused, now, windows);
      usages.set(keyId, usage);
      return decision;
    },
    countStranger: strangerCounter(windows.minute),
  };
}

function strangerCounter(length: number): LimitBook["countStranger"] {
  const counts = new Map<string, number>();
  let start = 0;
  return (address, now) => {
    const current = now - (now % length);
    if (current !== start || counts.size > mostStrangers) counts.clear();
    start = current;
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    const remaining = Math.max(0, strangerLimit - count);
    return { limit: strangerLimit, remaining, resetAt: start + length };
  };
}
