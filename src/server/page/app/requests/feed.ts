import type { RequestEntry } from "../../../inspect/types.ts";

/** How many requests the page keeps: as many as the store does. */
export const maxKept = 1_000;
/** How many seconds the chart shows. */
export const chartSeconds = 60;

/** How a request ended, as it is coloured. */
export type Outcome = "ok" | "limited" | "client" | "server" | "none";

/** The requests of one second, by how they ended. */
export type SecondCounts = Readonly<Partial<Record<Outcome, number>>>;

/** What the page knows about the requests. */
export interface Feed {
  /** Newest first. */
  readonly entries: readonly RequestEntry[];
  /** How many have arrived since the page was opened. */
  readonly seen: number;
  /** By the second in which they arrived, in Unix seconds of the browser's clock. */
  readonly seconds: ReadonlyMap<number, SecondCounts>;
  /** How many the page did not get; null if unknown. */
  readonly missed: number | null;
}

export const emptyFeed: Feed = { entries: [], seen: 0, seconds: new Map(), missed: 0 };

export function outcomeOf({ status }: Pick<RequestEntry, "status">): Outcome {
  if (status === null) return "none";
  if (status === 429) return "limited";
  if (status >= 500) return "server";
  return status >= 400 ? "client" : "ok";
}

/**
 * Returns `feed` with `entries`, oldest first, which arrived at `now` (Unix seconds); the history may have
 * the first of them.
 */
export function withEntries(feed: Feed, entries: readonly RequestEntry[], now: number): Feed {
  if (entries.length === 0) return feed;
  const known = new Set(feed.entries.map(({ id }) => id));
  const newest = entries
    .slice(-maxKept)
    .filter(({ id }) => !known.has(id))
    .toReversed();
  return {
    ...feed,
    entries: [...newest, ...feed.entries.slice(0, maxKept - newest.length)],
    seen: feed.seen + entries.length,
    seconds: countSeconds(feed.seconds, entries, now),
  };
}

/** Returns `feed` with the entries that the store remembers, from before the page was opened and since. */
export function withHistory(feed: Feed, history: readonly RequestEntry[]): Feed {
  const all = new Map([...history, ...feed.entries].map((entry) => [entry.id, entry]));
  const newestFirst = [...all.values()].sort((a, b) => numberIn(b) - numberIn(a));
  return { ...feed, entries: newestFirst.slice(0, maxKept) };
}

/** Returns the number in `STOREID-N`, which continues after a reset. */
function numberIn({ id }: RequestEntry): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

/** Returns `feed` with missed entries; null if their number is unknown. */
export function withGap(feed: Feed, missed: number | null): Feed {
  const total = feed.missed === null || missed === null ? null : feed.missed + missed;
  return { ...feed, missed: total };
}

function countSeconds(
  seconds: Feed["seconds"],
  entries: readonly RequestEntry[],
  now: number,
): Feed["seconds"] {
  const recent = [...seconds].filter(([second]) => second > now - chartSeconds);
  const counts: Partial<Record<Outcome, number>> = { ...seconds.get(now) };
  for (const entry of entries) {
    const outcome = outcomeOf(entry);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return new Map([...recent, [now, counts]]);
}

/** Returns the requests a second over the last 5 whole seconds before `now` (Unix seconds). */
export function currentRate({ seconds }: Feed, now: number): number {
  const window = Array.from({ length: 5 }, (_, at) => seconds.get(now - 1 - at) ?? {});
  const total = window.flatMap((counts) => Object.values(counts)).reduce((sum, n) => sum + n, 0);
  return total / window.length;
}
