import { expect, it } from "vitest";
import { newPermitId, OwnPermits } from "../../src/rate-limiter/own-permits.ts";

it.each([
  [0, "0000000000"],
  [0.5, "i000000000"],
  [1 - Number.EPSILON, "zzzzzzzzzy"],
])("makes from %d the id %s", (random, id) => {
  const made = newPermitId(() => random);
  expect(made).toMatch(/^[\da-z]{10}$/);
  expect(made.slice(0, 9)).toBe(id.slice(0, 9));
});

it("ends the signs of life of a permit with it", () => {
  let stops = 0;
  const own = new OwnPermits([["p", { stop: () => (stops += 1) }]]);
  expect([own.delete("p"), own.delete("p"), own.has("p"), stops]).toEqual([true, false, false, 1]);
});
