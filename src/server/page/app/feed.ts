import type { Outcome, RatesUpdate, RequestRow, SecondCounts } from "../../request-log/types.ts";

/** How many requests the page keeps: as many as the store does. */
const maxKept = 1_000;
export const chartSeconds = 60;

/** The ways in which requests end, in words, as the chart stacks them. */
export const outcomes: readonly (readonly [outcome: Outcome, title: string])[] = [
  ["ok", "succeeded (2xx)"],
  ["limited", "rate limited (429)"],
  ["client", "rejected (4xx)"],
  ["server", "failed (5xx)"],
  ["none", "without a response"],
];

/** What the page knows about the requests. */
export interface Feed {
  /** Newest first. */
  readonly rows: readonly RequestRow[];
  /** How many have arrived, missed ones included. */
  readonly seen: number;
  /** How many requests ended by Unix second of the store's machine, missed ones included. */
  readonly seconds: ReadonlyMap<number, SecondCounts>;
  /** How far that clock is ahead of the browser's, in ms. */
  readonly aheadMs: number;
  /** How many rows the page did not get. */
  readonly missed: number;
}

export const emptyFeed: Feed = { rows: [], seen: 0, seconds: new Map(), aheadMs: 0, missed: 0 };

/** Returns `feed` with the next row. */
export function withRow(feed: Feed, row: RequestRow): Feed {
  return { ...feed, rows: [row, ...feed.rows.slice(0, maxKept - 1)], seen: feed.seen + 1 };
}

/** Returns `feed` with `missed` more rows that it did not get. */
export function withGap(feed: Feed, missed: number): Feed {
  return { ...feed, missed: feed.missed + missed, seen: feed.seen + missed };
}

/** Returns `feed` with the current counts of some seconds. */
export function withRates(feed: Feed, { now, seconds }: RatesUpdate): Feed {
  const oldest = Math.floor(now / 1000) - chartSeconds;
  const recent = [...feed.seconds, ...seconds].filter(([second]) => second >= oldest);
  return { ...feed, seconds: new Map(recent), aheadMs: now - Date.now() };
}

/** Returns the current Unix second of the store's machine. */
export function currentSecond({ aheadMs }: Feed): number {
  return Math.floor((Date.now() + aheadMs) / 1000);
}

/** Returns how many requests ended from the second `from` to before `until`, by how they ended. */
export function countBetween({ seconds }: Feed, from: number, until: number): SecondCounts {
  const sums: Partial<Record<Outcome, number>> = {};
  for (const [second, counts] of seconds)
    for (const [outcome] of outcomes)
      if (second >= from && second < until && counts[outcome])
        sums[outcome] = (sums[outcome] ?? 0) + counts[outcome];
  return sums;
}

export function totalCount(counts: SecondCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
