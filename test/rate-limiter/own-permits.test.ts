import { expect, it, onTestFinished, vi } from "vitest";
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
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const own = new OwnPermits([["p", {}]]);
  own.keepAlive("p", () => {});
  expect(vi.getTimerCount()).toBe(1);
  expect([own.delete("p"), own.delete("p"), own.has("p")]).toEqual([true, false, false]);
  expect(vi.getTimerCount()).toBe(0);
});
