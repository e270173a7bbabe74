import { expect, it } from "vitest";
import { makeValue } from "../../../../src/server/page/app/value.ts";

/** Returns a value, and what its subscribers saw. */
function followed<T>(initial: T) {
  const value = makeValue(initial);
  const seen: T[] = [];
  const unsubscribe = value.subscribe(() => seen.push(value.get()));
  return { value, seen, unsubscribe };
}

it("notifies its subscribers of each change, after it has the new value", () => {
  const { value, seen } = followed(1);
  value.set(2);
  value.update((current) => current + 1);
  expect([value.get(), seen]).toEqual([3, [2, 3]]);
});

it.each([[1], [Number.NaN], [undefined]])("does not notify if %s does not change", (same) => {
  const { value, seen } = followed<unknown>(same);
  value.set(same);
  value.update(() => same);
  expect(seen).toEqual([]);
});

it("does not notify an unsubscribed follower, but the others", () => {
  const { value, seen, unsubscribe } = followed("a");
  const others: string[] = [];
  value.subscribe(() => others.push(value.get()));
  unsubscribe();
  value.set("b");
  expect([seen, others]).toEqual([[], ["b"]]);
});
