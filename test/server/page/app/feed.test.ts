import { describe, expect, it } from "vitest";
import {
  countBetween,
  emptyFeed,
  withGap,
  withRates,
  withRow,
} from "../../../../src/server/page/app/feed.ts";
import type { RequestRow } from "../../../../src/server/request-log/types.ts";

describe("what the page knows about the requests", () => {
  it("is newest first and bounded, with missed rows counted as seen", () => {
    const rows = Array.from({ length: 1_004 }, (_, at) => ({ id: `s-${at}` }) as RequestRow);
    const feed = withGap(withGap(rows.reduce(withRow, emptyFeed), 2), 3);
    expect(feed.rows).toEqual(rows.slice(4).toReversed());
    expect(feed).toMatchObject({ missed: 5, seen: 1_009 });
  });

  it("has the counts of the last minute by the store's clock", () => {
    const early = [[100, { ok: 1 }] as const, [101, { ok: 2, none: 1 }] as const];
    let feed = withRates(emptyFeed, { now: 102_500, seconds: [...early, [102, { ok: 3 }]] });
    feed = withRates(feed, { now: 103_000, seconds: [[102, { ok: 4 }]] });
    expect(countBetween(feed, 100, 102)).toEqual({ ok: 3, none: 1 });
    expect(countBetween(feed, 102, 103)).toEqual({ ok: 4 });
    expect(countBetween(feed, 103, 105)).toEqual({});
    feed = withRates(feed, { now: 161_000, seconds: [[161, { none: 1 }]] });
    expect([...feed.seconds.keys()]).toEqual([101, 102, 161]);
    expect(Math.abs(feed.aheadMs - (161_000 - Date.now()))).toBeLessThan(60_000);
  });
});
