import { expect, it } from "vitest";
import { ratedSeconds, requestRates } from "../../../src/server/request-log/request-rates.ts";

it("counts the requests of each of the last seconds by how they ended", () => {
  const clock = { now: 100_000 };
  const rates = requestRates(() => clock.now);
  rates.count("ok");
  rates.count("ok");
  clock.now = 101_999;
  rates.count("limited");
  expect(rates.since(0)).toEqual({
    now: 101_999,
    seconds: [
      [100, { ok: 2 }],
      [101, { limited: 1 }],
    ],
  });
  expect(rates.since(101).seconds).toEqual([[101, { limited: 1 }]]);
  clock.now += ratedSeconds * 1_000;
  rates.count("none");
  expect(rates.since(0).seconds).toEqual([[162, { none: 1 }]]);
  rates.clear();
  expect(rates.since(0).seconds).toEqual([]);
});
