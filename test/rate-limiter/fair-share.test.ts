import { describe, expect, it } from "vitest";
import { reserveOf } from "../../src/rate-limiter/fair-share.ts";

const minute = 60_000;
const hour = 60 * minute;
const midnight = Date.UTC(2026, 10, 23);

/** A window that ends in so many ms, of a service whose clock says `ends` then. */
const windowOf = (limit: number, endsIn: number, ends = midnight + hour) => ({
  limit,
  remaining: limit,
  reset: ends,
  endsAt: 1000 + endsIn,
});

describe("a bulk run leaves to other commands", () => {
  it.each<[string, number, number, object, number | undefined]>([
    ["nothing of 19", 19, minute, {}, undefined],
    ["1 of 20", 20, minute, {}, 1],
    ["2 of 21", 21, minute, {}, 2],
    ["3 of 60", 60, minute, {}, 3],
    ["30 of 600", 600, minute, {}, 30],
    ["5 % of an hour", 1000, hour, {}, 50],
    ["5 % of a second", 60, 1000 + 2001, {}, 3],
    ["nothing of a day", 5000, 5 * hour, {}, undefined],
    ["nothing of a day, in its last hour", 5000, hour / 2, { ends: midnight }, undefined],
    ["5 % of a minute before midnight", 60, minute, { ends: midnight }, 3],
    ["nothing two seconds before the end", 60, 2000, {}, undefined],
    ["something just before that", 60, 2001, {}, 3],
    ["nothing if all rows fit", 60, minute, { rowsLeft: 10, free: 10 }, undefined],
    ["something if one row does not", 60, minute, { rowsLeft: 11, free: 10 }, 3],
  ])("%s", (_what, limit, endsIn, more, requests) => {
    const { ends, rowsLeft = 1000, free = 10 } = more as Record<string, number>;
    const reserve = reserveOf(windowOf(limit, endsIn, ends), { now: 1000, rowsLeft, free });
    expect(reserve?.requests).toBe(requests);
  });

  it("until two seconds before the end", () => {
    const reserve = reserveOf(windowOf(60, minute), { now: 1000, rowsLeft: 99, free: 9 });
    expect(reserve).toEqual({ requests: 3, until: 1000 + minute - 2000 });
  });
});
