import type { Ended } from "../http/exchange.ts";
import { type EndedRequest, factsOf } from "./facts.ts";
import { findAbandoned, findDuplicates } from "./repeats.ts";
import { announcedWaits, newBans } from "./waits.ts";

/** How the clients of a store behaved (`help store`). */
export interface Verdict {
  /** How many requests got each status; `0` counts those without a response. */
  readonly requests: Readonly<Record<string, number>>;
  /** How many were sent before a Retry-After elapsed. */
  readonly early: number;
  readonly bans: number;
  /** Animals that were added more than once, because a POST was sent again; ids read from JSON are numbers. */
  readonly duplicates: readonly {
    readonly name: string;
    readonly ids: readonly (bigint | number)[];
  }[];
  /** How many GETs failed and were never answered. */
  readonly abandoned: number;
}

/** How many requests are compared, the last ones. */
const maxKept = 200_000;

/** Returns what is known between two resets. */
const nothingKnown = () => ({
  statuses: new Map<number, number>(),
  early: 0,
  bans: 0,
  isNewBan: newBans(),
  kept: new Array<EndedRequest>(),
});

/** Returns a new judge. Unless it `compares` requests, its verdict has only counts. */
export function startJudging(compares = true) {
  const waits = announcedWaits();
  let before: Verdict = { requests: {}, early: 0, bans: 0, duplicates: [], abandoned: 0 };
  let known = nothingKnown();
  const count = (status = 0, isEarly: boolean): void => {
    known.statuses.set(status, (known.statuses.get(status) ?? 0) + 1);
    if (isEarly) known.early += 1;
  };
  /** Takes a request that has ended; in any order. */
  const take = (request: EndedRequest): void => {
    count(request.status, request.isEarly);
    if (known.isNewBan(request)) known.bans += 1;
    if (request.wait !== undefined) waits.add(request);
    if (compares) known.kept.push(request);
    // Seldom, as a long list is copied.
    if (known.kept.length > maxKept * 1.1) known.kept = known.kept.slice(-maxKept);
  };
  /** Returns the counts since the last reset. */
  const counts = () => {
    const { statuses, early, bans } = known;
    return { requests: Object.fromEntries(statuses), early, bans };
  };
  const verdict = (since: "reset" | "start"): Verdict => {
    const duplicates = findDuplicates(known.kept).map((group) => ({
      name: group[0]?.added?.pet.name ?? "",
      ids: group.flatMap(({ added }) => added?.id ?? []),
    }));
    const recent = { ...counts(), duplicates, abandoned: findAbandoned(known.kept).length };
    return since === "reset" ? recent : joined(before, recent);
  };
  return {
    waits,
    take,
    counts,
    verdict,
    /** Takes a request that has ended, if it is below /v1, and not the page's. */
    takeEnded: (ended: Ended): void => {
      const { connection, isService, now } = ended.request;
      if (!isService || ended.isPage) return;
      const status = ended.sent?.status;
      // Without comparing, only waits matter.
      if (!compares && status !== 429) return count(status, ended.decision.isEarly === true);
      const request = factsOf(ended);
      take(request);
      if (!request.isComplete) return;
      const unread = { isComplete: false, hasLeft: true };
      connection.onReset = () => void Object.assign(request, unread, { endedAt: now().real });
    },
    /** Limits, bans and animals start again. */
    reset: (): void => {
      before = verdict("start");
      known = nothingKnown();
      waits.clear();
    },
  };
}

function joined(one: Verdict, other: Verdict): Verdict {
  const requests = { ...one.requests };
  for (const [status, count] of Object.entries(other.requests))
    requests[status] = (requests[status] ?? 0) + count;
  return {
    requests,
    early: one.early + other.early,
    bans: one.bans + other.bans,
    duplicates: [...one.duplicates, ...other.duplicates],
    abandoned: one.abandoned + other.abandoned,
  };
}
