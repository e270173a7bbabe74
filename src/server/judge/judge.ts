import { inFlightGraceMs } from "../rate-limits/limits.ts";

/** A request below /v1 arrived. Times are ms by a clock that never goes back. */
interface RequestArrival {
  readonly type: "arrival";
  /** Identifies the client's key. */
  readonly key: string;
  readonly at: number;
}

/** A request below /v1 is over. */
export interface RequestEnd {
  readonly type: "end";
  readonly key: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly arrivedAt: number;
  /** When the reply was sent, or if none was, when either side closed the connection. */
  readonly endedAt: number;
  /** Undefined if nothing of a reply was sent. */
  readonly status: number | undefined;
  /** Whether the complete reply was sent to a client that was still waiting for it. */
  readonly isComplete: boolean;
  /** The seconds in the Retry-After of a 429, and whether it says that the key is banned. */
  readonly wait?: { readonly seconds: number; readonly isBan: boolean } | undefined;
  /** The animal that was stored, whatever the reply says. */
  readonly added?: AddedPet | undefined;
}

/** An animal that a POST added. */
export interface AddedPet {
  readonly id: bigint;
  readonly name: string;
  /** The same text for equal animals: name, categoryId and status. */
  readonly content: string;
}

/** What happens in a judged store; after a reset, limits and animals start again. */
export type StoreEvent = RequestArrival | RequestEnd | { readonly type: "reset" };

/** How the clients of a store behaved (store.md, Judging a client). */
export interface Verdict {
  /** How many requests got each status; `0` counts those without a reply. */
  readonly requests: Readonly<Record<string, number>>;
  /** How many arrived during a Retry-After. */
  readonly early: number;
  readonly bans: number;
  /** Animals that were added more than once, because a POST was sent again. */
  readonly duplicates: readonly DuplicatePet[];
  /** How many GETs failed and were never tried again. */
  readonly abandoned: number;
}

/** One animal that was added under several ids. */
export interface DuplicatePet {
  readonly name: string;
  readonly ids: readonly bigint[];
}

/** Timers of clients may fire this many ms early, and a close may be seen as many ms late. */
const toleranceMs = 5;

/** Returns a new judge, which takes events in the order in which they happen. */
export function startJudging() {
  const requests = new Map<number, number>();
  const waits = waitJudge();
  const adds = addJudge();
  const reads = readJudge();
  return {
    take: (event: StoreEvent): void => {
      if (event.type === "arrival") waits.arrive(event);
      else if (event.type === "end") {
        const { status = 0 } = event;
        requests.set(status, (requests.get(status) ?? 0) + 1);
        waits.end(event);
        adds.end(event);
        reads.end(event);
      } else {
        waits.reset();
        adds.reset();
      }
    },
    verdict: (): Verdict => ({
      requests: Object.fromEntries(requests),
      ...waits.counts(),
      duplicates: adds.duplicates(),
      abandoned: reads.abandoned(),
    }),
  };
}

/** Returns whether the clients of `verdict` did anything that a service may mind. */
export function isRude({ early, bans, duplicates }: Verdict): boolean {
  return early > 0 || bans > 0 || duplicates.length > 0;
}

/** Returns a judge that counts the requests during a Retry-After, and the bans. */
function waitJudge() {
  /** The waits of each key: when each was announced, and when it ends. */
  const waits = new Map<string, readonly { readonly sentAt: number; readonly until: number }[]>();
  const bannedUntil = new Map<string, number>();
  let early = 0;
  let bans = 0;
  return {
    arrive: ({ key, at }: RequestArrival): void => {
      const inForce = (waits.get(key) ?? []).filter(({ until }) => until - toleranceMs > at);
      waits.set(key, inForce);
      if (inForce.some(({ sentAt }) => at > sentAt + inFlightGraceMs)) early += 1;
    },
    end: ({ key, endedAt: sentAt, isComplete, wait }: RequestEnd): void => {
      if (wait === undefined || !isComplete) return;
      const until = sentAt + wait.seconds * 1000;
      if (wait.isBan && (bannedUntil.get(key) ?? -Infinity) <= sentAt) {
        bans += 1;
        bannedUntil.set(key, until);
      }
      const known = waits.get(key) ?? [];
      if (!known.some((one) => one.until >= until)) waits.set(key, [...known, { sentAt, until }]);
    },
    reset: (): void => {
      waits.clear();
      bannedUntil.clear();
    },
    counts: () => ({ early, bans }),
  };
}

/** An animal that was stored without its client learning it. */
interface LostAdd {
  readonly pet: AddedPet;
  readonly lostAt: number;
  /** What it is already a duplicate of. */
  readonly group: { readonly name: string; readonly ids: bigint[] } | undefined;
}

/**
 * Finds animals that were added twice: by a POST that arrived after an equal one with the same key had
 * added its animal without a reply that says so. Each such loss explains one later POST; any other
 * equal POST is a different animal with the same name.
 */
function addJudge() {
  const lost = new Map<string, LostAdd[]>();
  const groups: { readonly name: string; readonly ids: bigint[] }[] = [];
  const groupOf = ({ group, pet }: LostAdd) => {
    if (group !== undefined) return group;
    const made = { name: pet.name, ids: [pet.id] };
    groups.push(made);
    return made;
  };
  return {
    end: (request: RequestEnd): void => {
      const { added: pet, key, endedAt: lostAt } = request;
      if (pet === undefined) return;
      const identity = JSON.stringify([key, pet.content]);
      const earlier = takeBefore(lost.get(identity) ?? [], ({ lostAt: at }) => at, request);
      const group = earlier && groupOf(earlier);
      group?.ids.push(pet.id);
      if (isLost(request))
        lost.set(identity, [...(lost.get(identity) ?? []), { pet, lostAt, group }]);
    },
    reset: (): void => lost.clear(),
    duplicates: (): readonly DuplicatePet[] => groups.map(({ name, ids }) => ({ name, ids })),
  };
}

/** Returns a judge that finds GETs that failed and were not retried. */
function readJudge() {
  const failures = new Map<string, { readonly failedAt: number; readonly isRetry: boolean }[]>();
  return {
    end: (request: RequestEnd): void => {
      if (request.method !== "GET") return;
      const identity = JSON.stringify([request.key, request.target]);
      const pending = failures.get(identity) ?? [];
      const isRetry = takeBefore(pending, ({ failedAt }) => failedAt, request) !== undefined;
      if (isFailed(request))
        failures.set(identity, [...pending, { failedAt: request.endedAt, isRetry }]);
      else if (pending.length === 0) failures.delete(identity);
    },
    abandoned: (): number => [...failures.values()].flat().filter(({ isRetry }) => !isRetry).length,
  };
}

/** Removes and returns the first of `items` that was over when `request` arrived. */
function takeBefore<T>(
  items: T[],
  timeOf: (item: T) => number,
  { arrivedAt }: RequestEnd,
): T | undefined {
  const index = items.findIndex((item) => timeOf(item) <= arrivedAt + toleranceMs);
  return index === -1 ? undefined : items.splice(index, 1)[0];
}

/** Returns whether the client of a POST can't tell its outcome from the reply. */
function isLost({ isComplete, status = 0 }: RequestEnd): boolean {
  return !isComplete || status >= 500;
}

/** Returns whether a retry may succeed. */
function isFailed(request: RequestEnd): boolean {
  return isLost(request) || request.status === 429 || request.status === 408;
}
