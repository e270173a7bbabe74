import { expect, it } from "vitest";
import { OwnPermits } from "../../src/rate-limiter/own-permits.ts";

function permits(random = 0.5) {
  const timers = new Set<() => void>();
  const beats: string[] = [];
  const own = new OwnPermits(
    () => random,
    (id) => beats.push(id),
    (_ms, step) => {
      timers.add(step);
      return () => timers.delete(step);
    },
  );
  const beat = (): void => timers.forEach((step) => step());
  return { own, beats, beat };
}

it.each([
  [0, "0000000000"],
  [0.5, "i000000000"],
  [1 - Number.EPSILON, "zzzzzzzzzy"],
])("makes from %d the id %s", (random, id) => {
  expect(permits(random).own.newId()).toMatch(/^[\da-z]{10}$/);
  expect(permits(random).own.newId().slice(0, 9)).toBe(id.slice(0, 9));
});

it("knows which permits are open, and which of those were reused, until they are dropped", () => {
  const { own } = permits();
  own.add("a");
  own.addReused("b");
  expect([own.count, own.has("a"), own.isReused("a"), own.isReused("b")]).toEqual([
    2,
    true,
    false,
    true,
  ]);
  own.drop("a");
  own.drop("b");
  expect([own.count, own.has("b"), own.isReused("b")]).toEqual([0, false, false]);
});

it("records signs of life of a probe until it is dropped", () => {
  const { own, beats, beat } = permits();
  own.add("p");
  beat();
  own.startHeartbeat("p");
  beat();
  beat();
  own.drop("p");
  beat();
  expect(beats).toEqual(["p", "p"]);
});
