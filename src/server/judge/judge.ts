import { countBans } from "../rate-limits/bans.ts";
import { findEarly } from "./early.ts";
import type { EndedRequest } from "./facts.ts";
import { findAbandoned, findDuplicates, findUnsettled } from "./repeats.ts";

/** How the clients of a store behaved (`help store`). */
export interface Verdict {
  /** How many requests got each status; `0` counts those without a response. */
  readonly requests: Readonly<Record<string, number>>;
  /** How many were sent before a Retry-After elapsed. */
  readonly early: number;
  readonly bans: number;
  /** Animals that were added more than once, because a POST was sent again. */
  readonly duplicates: readonly { readonly name: string; readonly ids: readonly bigint[] }[];
  /** How many GETs failed and were never answered. */
  readonly abandoned: number;
}

/** Collects what happens in a store, and judges it. */
export type Judge = ReturnType<typeof startJudging>;

/** Returns the verdict on `requests`, which all ended between two resets. */
export function judge(requests: readonly EndedRequest[]): Verdict {
  return {
    requests: countStatuses(requests),
    early: findEarly(requests).length,
    bans: countBans(requests),
    duplicates: findDuplicates(requests).map((group) => ({
      name: group[0]?.added?.name ?? "",
      ids: group.flatMap(({ added }) => added?.id ?? []),
    })),
    abandoned: findAbandoned(requests).length,
  };
}

function countStatuses(requests: readonly EndedRequest[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(requests, ({ status = 0 }) => status);
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]));
}

/** How many requests are kept until those that can no longer matter are dropped. */
const maxKept = 20_000;

/** Returns a new judge. */
export function startJudging() {
  let beforeReset = judge([]);
  let settled = judge([]);
  let kept: EndedRequest[] = [];
  const current = (): Verdict => combine(settled, judge(kept), 1);
  return {
    /** Takes a request that has ended; in any order. */
    take: (request: EndedRequest): void => {
      kept.push(request);
      if (kept.length < maxKept) return;
      const unsettled = dropSettled(kept);
      settled = combine(current(), judge(unsettled), -1);
      kept = unsettled;
    },
    /** Limits, bans and animals start again. */
    reset: (): void => {
      beforeReset = combine(beforeReset, current(), 1);
      settled = judge([]);
      kept = [];
    },
    /** Judges everything since the last reset, or since the start. */
    verdict: (since: "reset" | "start"): Verdict =>
      since === "reset" ? current() : combine(beforeReset, current(), 1),
  };
}

/** Returns the newer half of `requests`, and those of the others that later ones may depend on. */
function dropSettled(requests: readonly EndedRequest[]): EndedRequest[] {
  const newer = requests.slice(requests.length / 2);
  const now = newer.at(-1)?.arrivedAtStore ?? 0;
  const unsettled = findUnsettled(requests, new Set(newer));
  const isNeeded = (request: EndedRequest): boolean =>
    unsettled.has(request) || (request.wait !== undefined && request.wait.until > now);
  // However many those are, enough go for this not to be done again soon.
  const older = requests.slice(0, requests.length / 2).filter(isNeeded);
  return [...older.slice(-requests.length / 4), ...newer];
}

/** Returns `one` with what `other` has as well (1), or without what `other` has of it (-1). */
function combine(one: Verdict, other: Verdict, sign: 1 | -1): Verdict {
  const counts = new Map(Object.entries(one.requests));
  for (const [status, count] of Object.entries(other.requests))
    counts.set(status, (counts.get(status) ?? 0) + sign * count);
  const others = new Set(other.duplicates.map(({ ids: [first] }) => first));
  return {
    requests: Object.fromEntries([...counts].filter(([, count]) => count !== 0)),
    early: one.early + sign * other.early,
    bans: one.bans + sign * other.bans,
    duplicates:
      sign === 1
        ? [...one.duplicates, ...other.duplicates]
        : one.duplicates.filter(({ ids: [first] }) => !others.has(first)),
    abandoned: one.abandoned + sign * other.abandoned,
  };
}
