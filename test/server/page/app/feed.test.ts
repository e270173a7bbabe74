import { describe, expect, it } from "vitest";
import {
  countBetween,
  emptyFeed,
  maxKept,
  withGap,
  withRates,
  withRow,
} from "../../../../src/server/page/app/feed.ts";
import type { RequestRow } from "../../../../src/server/request-log/types.ts";

const range = (start: number, count: number): RequestRow[] =>
  Array.from({ length: count }, (_, at) => ({ id: `s-${start + at}` }) as RequestRow);

describe("what the page knows about the requests", () => {
  it("is newest first, and bounded", () => {
    const feed = range(0, 1_004).reduce(withRow, emptyFeed);
    expect(feed.rows).toHaveLength(maxKept);
    expect(feed.rows.slice(0, 2).map(({ id }) => id)).toEqual(["s-1003", "s-1002"]);
    expect(feed.seen).toBe(1_004);
  });

  it("counts missed rows as seen", () => {
    expect(withGap(withGap(emptyFeed, 2), 3)).toMatchObject({ missed: 5, seen: 5 });
  });

  it("has the counts of the last minute by the store's clock", () => {
    let feed = withRates(emptyFeed, { now: 100_500, seconds: [[100, { ok: 3, limited: 1 }]] });
    feed = withRates(feed, { now: 101_000, seconds: [[100, { ok: 13_500 }]] });
    expect([...feed.seconds]).toEqual([[100, { ok: 13_500 }]]);
    feed = withRates(feed, { now: 161_000, seconds: [[161, { none: 1 }]] });
    expect([...feed.seconds.keys()]).toEqual([161]);
    expect(Math.abs(feed.aheadMs - (161_000 - Date.now()))).toBeLessThan(60_000);
  });
});

it("counts what ended between two seconds", () => {
  const feed = withRates(emptyFeed, {
    now: 103_000,
    seconds: [
      [100, { ok: 1 }],
      [101, { ok: 2, none: 1 }],
      [102, { ok: 4 }],
    ],
  });
  expect(countBetween(feed, 100, 102)).toEqual({ ok: 3, none: 1 });
  expect(countBetween(feed, 103, 105)).toEqual({});
});
