import type { Arrived } from "../http/exchange.ts";
import { inFlightGraceMs, isOnItsWay } from "../rate-limits/limits.ts";
import type { AnnouncedWait, EndedRequest } from "./facts.ts";

/** Timers of clients may fire this many ms early. */
const toleranceMs = 5;

type ArrivedRequest = Pick<
  EndedRequest,
  "connection" | "arrivedAt" | "arrivedAtStore" | "arrivedElapsed"
>;

/**
 * Returns one of `refusals` that had asked the client of a request to wait longer, both by the store's clock and by the
 * time that has passed. A request that came within 250 ms of a 429 was on its way, unless the 429 had just been read on
 * its connection.
 */
function brokenWait<Refused extends EndedRequest>(
  { connection, arrivedAt, arrivedAtStore, arrivedElapsed }: ArrivedRequest,
  refusals: readonly Refused[],
): Refused | undefined {
  return refusals.find(({ connection: other, isComplete, endedAt, wait }) => {
    const graceMs = other === connection ? 0 : inFlightGraceMs;
    const isKnown = isComplete && !isOnItsWay(arrivedAt, endedAt, graceMs);
    const { until = -Infinity, elapsedUntil = -Infinity } = wait ?? {};
    const isLonger =
      until - toleranceMs > arrivedAtStore && elapsedUntil - toleranceMs > arrivedElapsed;
    return isKnown && isLonger;
  });
}

function untilOf({ wait }: EndedRequest): number {
  return wait?.until ?? -Infinity;
}

/** Returns the early ones of `requests`, in the order in which they were received, each with the longest wait it broke. */
export function findEarly<Request extends EndedRequest>(
  requests: readonly Request[],
): readonly { readonly request: Request; readonly refused: Request }[] {
  const refusals = requests
    .filter(({ wait }) => wait !== undefined)
    .toSorted((one, other) => untilOf(other) - untilOf(one));
  const byKey = Map.groupBy(refusals, ({ key }) => key);
  return requests
    .toSorted((one, other) => one.arrivedAt - other.arrivedAt)
    .flatMap((request) => {
      const refused = brokenWait(request, byKey.get(request.key) ?? []);
      return refused === undefined ? [] : [{ request, refused }];
    });
}

/** How many refusals of a key are kept: what breaks none of the first breaks none of the others. */
const maxRefusals = 1_000;

/** What is known of most requests. */
const nothingInForce = { isEarly: false, breaksLimits: undefined };

export type AnnouncedWaits = ReturnType<typeof announcedWaits>;

/** Tracks the waits that were announced to keys. */
export function announcedWaits() {
  const byKey = new Map<string, readonly EndedRequest[]>();
  /** Until when the limits have refused each key, by the store's time. */
  const decided = new Map<string, number>();
  return {
    /** Notes that the limits refuse a request of a key, which its client learns when the response is sent. */
    announce: (key: string, until: number): void => void decided.set(key, until),
    add: (request: EndedRequest): void => {
      const known = byKey.get(request.key) ?? [];
      if (known.length < maxRefusals) byKey.set(request.key, [...known, request]);
    },
    /** Returns whether a request is early, and whether by what the limits announced: undefined if nothing is in force. */
    check: (key: string, { at, connection }: Pick<Arrived, "at" | "connection">) => {
      const told = byKey.get(key);
      const decidedUntil = decided.get(key);
      if (told === undefined && decidedUntil === undefined) return nothingInForce;
      const { real: arrivedAt, store: arrivedAtStore, elapsed: arrivedElapsed } = at;
      const arrived = { connection: connection.number, arrivedAt, arrivedAtStore, arrivedElapsed };
      const inForce = (told ?? []).filter((each) => untilOf(each) > arrivedAtStore);
      if (inForce.length > 0) byKey.set(key, inForce);
      else byKey.delete(key);
      const ofLimits = inForce.filter(({ wait }) => wait?.isForced === false);
      const isDecided = (decidedUntil ?? -Infinity) > arrivedAtStore;
      if (!isDecided) decided.delete(key);
      return {
        isEarly: brokenWait(arrived, inForce) !== undefined,
        breaksLimits: isDecided ? brokenWait(arrived, ofLimits) !== undefined : undefined,
      };
    },
    clear: (): void => {
      byKey.clear();
      decided.clear();
    },
  };
}

/** Ends that differ by at most this, in ms, by either clock, belong to one ban: the other one may have stepped. */
const sameBanMs = 500;
const maxBansPerKey = 10;

/** Returns a function that returns whether a request was refused by a ban that has refused none before it. */
export function newBans() {
  const bansByKey = new Map<string, readonly AnnouncedWait[]>();
  return ({ key, wait }: Pick<EndedRequest, "key" | "wait">): boolean => {
    if (wait?.isBan !== true) return false;
    const bans = bansByKey.get(key) ?? [];
    const isSame = ({ until, elapsedUntil }: AnnouncedWait): boolean =>
      Math.abs(until - wait.until) <= sameBanMs ||
      Math.abs(elapsedUntil - wait.elapsedUntil) <= sameBanMs;
    if (bans.some(isSame)) return false;
    bansByKey.set(key, [...bans, wait].slice(-maxBansPerKey));
    return true;
  };
}
