import { admit, type Decision, look, unused, type Usage } from "./limits.ts";
import { realWindows, type WindowLengths, type WindowState } from "./rate-windows.ts";
import type { Plan } from "./plans.ts";
import type { Problem } from "./problem.ts";

/** A request that is answered with a Problem of its own, whatever the limits say: only in the lab. */
export interface Troubled {
  readonly allowed: false;
  readonly window: WindowState;
  readonly code: "forced";
  readonly problem: Problem;
}

/** Who has asked how often: the limits of keys, and the window that a 401 tells of. */
export interface LimitBook {
  /** Decides on a request of the key `keyId`, and remembers it. Throws a NoSuchKey where it is known to be gone. */
  admit(keyId: string, plan: Plan, now: number): Promise<Decision | Troubled>;
  /** What was last told of the key `keyId`, as it is at `now`: for when a decision can't be had. */
  lastWindow?(keyId: string, now: number): WindowState | undefined;
  /** Counts a request without a valid key from `address`; it is never refused for it. */
  countStranger(address: string, now: number): WindowState;
}

/** The key that asks was removed a moment ago. */
export class NoSuchKey extends Error {}

/** A LimitBook that is this process's own: it can be looked into, and begun again. */
export interface OwnLimitBook extends LimitBook {
  admit(keyId: string, plan: Plan, now: number): Promise<Decision>;
  /** The window of a key without another request, and whether one would be let through. */
  look(keyId: string, plan: Plan, now: number): ReturnType<typeof look>;
  /** Forgets all counts, refusals and bans. */
  clear(): void;
}

/** What a 401 tells of: requests a minute for a remote address (store.md, Limits). */
const strangerLimit = 60;
/** More addresses than this in one window are not told apart, to bound memory. */
const mostStrangers = 10_000;

/** What is remembered of each key, by its id. */
export type Usages = Pick<Map<string, Usage>, "get" | "set" | "clear">;

/** A LimitBook that lives as long as the process; it counts by the minute and day unless told otherwise. */
export function memoryLimitBook(windows: WindowLengths = realWindows): OwnLimitBook {
  return limitBookOn(new Map(), windows);
}

/** A LimitBook that remembers in `usages`, which nobody else may change. */
export function limitBookOn(usages: Usages, windows: WindowLengths = realWindows): OwnLimitBook {
  const strangers = strangerCounter(windows.minute);
  return {
    admit: async (keyId, plan, now) => {
      const [decision, usage] = admit(plan, usages.get(keyId) ?? unused, now, windows);
      usages.set(keyId, usage);
      return decision;
    },
    look: (keyId, plan, now) => look(plan, usages.get(keyId) ?? unused, now, windows),
    countStranger: strangers.count,
    clear: () => {
      usages.clear();
      strangers.clear();
    },
  };
}

/** Counts requests without a valid key in windows of `length` ms. */
export function strangerCounter(length: number) {
  const counts = new Map<string, number>();
  let start = 0;
  const count: LimitBook["countStranger"] = (address, now) => {
    const current = now - (now % length);
    if (current !== start || counts.size > mostStrangers) counts.clear();
    start = current;
    const requests = (counts.get(address) ?? 0) + 1;
    counts.set(address, requests);
    const remaining = Math.max(0, strangerLimit - requests);
    return { limit: strangerLimit, remaining, resetAt: start + length };
  };
  return { count, clear: () => counts.clear() };
}
