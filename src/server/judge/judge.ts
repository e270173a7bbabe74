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
  readonly duplicates: readonly DuplicatePet[];
  /** How many GETs failed and were never answered. */
  readonly abandoned: number;
}

/** One animal that was added under several ids. */
interface DuplicatePet {
  readonly name: string;
  readonly ids: readonly bigint[];
}

/** Collects what happens in a store, and judges it. */
export interface Judge {
  /** Takes a request that has ended; in any order. */
  take(request: EndedRequest): void;
  /** Limits, bans and animals start again. */
  reset(): void;
  /** Judges everything since the last reset, or since the start. */
  verdict(since: "reset" | "start"): Verdict;
}

/** Returns the verdict on `requests`, which all ended between two resets. */
export function judge(requests: readonly EndedRequest[]): Verdict {
  return {
    requests: countBy(requests, ({ status = 0 }) => status),
    early: findEarly(requests).length,
    bans: countBans(requests),
    duplicates: findDuplicates(requests).map((group) => ({
      name: group[0]?.added?.name ?? "",
      ids: group.flatMap(({ added }) => added?.id ?? []),
    })),
    abandoned: findAbandoned(requests).length,
  };
}

/** Ends that differ by less than this, in ms, belong to one ban: they may be by two clocks. */
const sameBanMs = 500;

/** Returns how many bans refused `requests`, which have one each at most. */
export function countBans(requests: readonly EndedRequest[]): number {
  const refused = requests.filter(({ wait }) => wait?.isBan === true);
  const ends = [...Map.groupBy(refused, ({ key }) => key).values()].map((group) =>
    group.map(({ wait }) => wait?.until ?? 0).toSorted((one, other) => one - other),
  );
  return ends.flatMap((each) => each.filter(beginsBan)).length;
}

function beginsBan(end: number, at: number, ends: readonly number[]): boolean {
  return end - (ends[at - 1] ?? -Infinity) > sameBanMs;
}

function countBy(
  requests: readonly EndedRequest[],
  textOf: (request: EndedRequest) => string | number,
): Readonly<Record<string, number>> {
  const groups = Map.groupBy(requests, textOf);
  return Object.fromEntries([...groups].map(([text, group]) => [text, group.length]));
}

/** How many requests are kept until those that can no longer matter are dropped. */
const maxKept = 20_000;

/** Returns a new judge. */
export function startJudging(): Judge {
  let beforeReset = judge([]);
  let settled = judge([]);
  let kept: EndedRequest[] = [];
  const current = (): Verdict => sum(settled, judge(kept));
  return {
    take: (request) => {
      kept.push(request);
      if (kept.length < maxKept) return;
      const unsettled = dropSettled(kept);
      settled = sum(settled, difference(judge(kept), judge(unsettled)));
      kept = unsettled;
    },
    reset: () => {
      beforeReset = sum(beforeReset, current());
      settled = judge([]);
      kept = [];
    },
    verdict: (since) => (since === "reset" ? current() : sum(beforeReset, current())),
  };
}

/** Returns the newer half of `requests`, and those of the others that later ones may depend on. */
function dropSettled(requests: readonly EndedRequest[]): EndedRequest[] {
  const newer = requests.slice(requests.length / 2);
  const now = newer.at(-1)?.storeTime ?? 0;
  const unsettled = findUnsettled(requests, new Set(newer));
  const isNeeded = (request: EndedRequest): boolean =>
    unsettled.has(request) || (request.wait !== undefined && request.wait.until > now);
  // However many those are, enough go for this not to be done again soon.
  const older = requests.slice(0, requests.length / 2).filter(isNeeded);
  return [...older.slice(-requests.length / 4), ...newer];
}

function sum(one: Verdict, other: Verdict): Verdict {
  return {
    ...combine(one, other, 1),
    duplicates: [...one.duplicates, ...other.duplicates],
  };
}

function difference(one: Verdict, other: Verdict): Verdict {
  const ids = new Set(other.duplicates.map(({ ids: [first] }) => first));
  return {
    ...combine(one, other, -1),
    duplicates: one.duplicates.filter(({ ids: [first] }) => !ids.has(first)),
  };
}

function combine(one: Verdict, other: Verdict, sign: 1 | -1): Omit<Verdict, "duplicates"> {
  const statuses = new Set([...Object.keys(one.requests), ...Object.keys(other.requests)]);
  const counts = [...statuses].map((status): [string, number] => [
    status,
    (one.requests[status] ?? 0) + sign * (other.requests[status] ?? 0),
  ]);
  return {
    requests: Object.fromEntries(counts.filter(([, count]) => count !== 0)),
    early: one.early + sign * other.early,
    bans: one.bans + sign * other.bans,
    abandoned: one.abandoned + sign * other.abandoned,
  };
}
