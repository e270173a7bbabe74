import type { EndedExchange } from "../http/exchange.ts";
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

/** Returns a new judge. Unless it `compares` requests, its verdict has only counts. */
export function startJudging(compares = true) {
  const waits = announcedWaits();
  let before: Verdict = { requests: {}, early: 0, bans: 0, duplicates: [], abandoned: 0 };
  let statuses = new Map<number, number>();
  let early = 0;
  let bans = 0;
  let isNewBan = newBans();
  let kept: EndedRequest[] = [];
  const count = (status = 0, isEarly: boolean): void => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (isEarly) early += 1;
  };
  const counts = () => ({ requests: Object.fromEntries(statuses), early, bans });
  const verdict = (since: "reset" | "start"): Verdict => {
    const recent = { ...counts(), ...findRepeats(kept) };
    return since === "reset" ? recent : joined(before, recent);
  };
  return {
    waits,
    compares,
    /** Counts a request that has ended, of which nothing else matters. */
    count,
    /** Takes a request that has ended; in any order. */
    take: (request: EndedRequest): void => {
      count(request.status, request.isEarly);
      if (isNewBan(request)) bans += 1;
      if (request.wait !== undefined) waits.add(request);
      if (compares) kept.push(request);
      // Seldom, as a long list is copied.
      if (kept.length > maxKept * 1.1) kept = kept.slice(-maxKept);
    },
    /** Limits, bans and animals start again. */
    reset: (): void => {
      before = verdict("start");
      statuses = new Map();
      early = 0;
      bans = 0;
      isNewBan = newBans();
      kept = [];
      waits.clear();
    },
    /** Returns the counts since the last reset. */
    counts,
    verdict,
  };
}

/** Returns the repeats among `requests`, which all ended between two resets. */
export function findRepeats(requests: readonly EndedRequest[]) {
  const duplicates = findDuplicates(requests).map((group) => ({
    name: group[0]?.added?.pet.name ?? "",
    ids: group.flatMap(({ added }) => added?.id ?? []),
  }));
  return { duplicates, abandoned: findAbandoned(requests).length };
}

/** Reports a request below /v1 that has ended to `judge`, except those of the page. */
export function judgeExchange(
  judge: Pick<ReturnType<typeof startJudging>, "compares" | "count" | "take">,
  exchange: EndedExchange,
): void {
  if (!exchange.isService || exchange.isPage) return;
  const status = exchange.sent?.status;
  // Without comparing, only waits matter.
  if (!judge.compares && status !== 429) return judge.count(status, exchange.isEarly);
  const request = factsOf(exchange);
  judge.take(request);
  if (!request.isComplete) return;
  exchange.connection.onReset = () =>
    void Object.assign(request, { isComplete: false, hasLeft: true, endedAt: performance.now() });
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
