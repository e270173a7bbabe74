import { describe, expect, it } from "vitest";
import { reserveOf } from "../../../src/rate-limiter/rules/fair-share.ts";

const minute = 60_000;
const hour = 60 * minute;
const midnight = Date.UTC(2026, 10, 23);

/** Returns a window that ends in this many ms, by a service whose clock then is at `ends`. */
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
    ["all of that until two seconds before the end", 60, 2001, {}, 3],
    ["nothing from then on", 60, 2000, {}, undefined],
    ["nothing of 20 from two seconds before the end", 20, 2000, {}, undefined],
    ["nothing if all rows fit", 60, minute, { rowsLeft: 10, free: 10 }, undefined],
    ["something if one row does not", 60, minute, { rowsLeft: 11, free: 10 }, 3],
  ])("%s", (_what, limit, endsIn, more, requests) => {
    const { ends, rowsLeft = 1000, free = 10 } = more as Record<string, number>;
    const reserve = reserveOf(windowOf(limit, endsIn, ends), 1000, free, { rowsLeft });
    expect(reserve?.requests).toBe(requests);
  });

  it.each<[string, number, number, number, object, number | undefined]>([
    ["12 of 60", 60, 20, minute, {}, 12],
    ["7 of 100, rounded up exactly", 100, 7, minute, {}, 7],
    ["1 of 3", 3, 1, minute, {}, 1],
    ["a part of a day too", 1000, 50, 5 * hour, {}, 500],
    ["it in the last seconds too", 60, 20, 500, {}, 12],
    ["it if all rows fit too", 60, 20, minute, { rowsLeft: 10, free: 60 }, 12],
    ["the share, where that is more", 60, 1, minute, {}, 3],
    ["nothing with 0%", 60, 0, 500, {}, undefined],
  ])("with --reserve %s", (_what, limit, reservePercent, endsIn, more, requests) => {
    const { rowsLeft = 1000, free = 10 } = more as Record<string, number>;
    const demand = { rowsLeft, reservePercent };
    const reserve = reserveOf(windowOf(limit, endsIn), 1000, free, demand);
    expect(reserve?.requests).toBe(requests);
  });
});
