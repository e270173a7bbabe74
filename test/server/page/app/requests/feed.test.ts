import { array, assert, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import type { RequestEntry } from "../../../../../src/server/inspect/types.ts";
import {
  currentRate,
  emptyFeed,
  maxKept,
  outcomeOf,
  withEntries,
  withGap,
  withHistory,
} from "../../../../../src/server/page/app/requests/feed.ts";

const entry = (id: number, status: number | null = 200): RequestEntry =>
  ({ id: `s-${id}`, status }) as RequestEntry;
const range = (start: number, count: number): RequestEntry[] =>
  Array.from({ length: count }, (_, at) => entry(start + at));
const ids = ({ entries }: { readonly entries: readonly RequestEntry[] }) =>
  entries.map(({ id }) => id);

describe("what the page knows about the requests", () => {
  it("is newest first, and bounded", () => {
    const feed = withEntries(withEntries(emptyFeed, range(0, 999), 10), range(999, 5), 10);
    expect(feed.entries).toHaveLength(maxKept);
    expect(ids(feed).slice(0, 2)).toEqual(["s-1003", "s-1002"]);
    expect(feed.seen).toBe(1_004);
    expect(ids(withEntries(feed, range(2_000, 3_000), 11))[0]).toBe("s-4999");
  });

  it("has each request once, in order, whenever the history arrives", () => {
    assert(
      property(nat(9), array(nat(4)), nat(9), (before, batches, at) => {
        let [feed, last] = [emptyFeed, before];
        const add = (count: number): void => {
          feed = withEntries(feed, range(last + 1, count), 10);
          last += count;
        };
        for (const count of batches.slice(0, at)) add(count);
        // Everything that has ended, even if the stream delivers it later.
        feed = withHistory(feed, range(1, last + (batches[at] ?? 0)));
        for (const count of batches.slice(at)) add(count);
        expect(ids(feed)).toEqual(ids({ entries: range(1, last).toReversed() }));
        expect(feed.seen).toBe(last - before);
      }),
    );
  });

  it("counts a minute by second, and the rate of 5 s", () => {
    let feed = withEntries(emptyFeed, [entry(1), entry(2, 429), entry(3, null)], 100);
    feed = withEntries(feed, [entry(4, 503)], 100);
    expect(feed.seconds.get(100)).toEqual({ ok: 1, limited: 1, none: 1, server: 1 });
    expect(currentRate(feed, 101)).toBe(0.8);
    expect(currentRate(feed, 106)).toBe(0);
    expect([...withEntries(feed, [entry(5)], 160).seconds.keys()]).toEqual([160]);
  });

  it("adds up missed requests as long as their number is known", () => {
    expect(withGap(withGap(emptyFeed, 2), 3).missed).toBe(5);
    expect(withGap(withGap(emptyFeed, null), 3).missed).toBeNull();
  });

  it.each([
    [201, "ok"],
    [404, "client"],
    [429, "limited"],
    [500, "server"],
    [null, "none"],
  ])("counts %s as %s", (status, outcome) => {
    expect(outcomeOf({ status })).toBe(outcome);
  });
});
