import { expect, it } from "vitest";
import { statusCounts, totalOf } from "../../../src/server/storage/storage.ts";

it.each<[readonly Readonly<Record<string, unknown>>[], readonly (readonly unknown[])[], number]>([
  [[], [], 0],
  [[{ status: null, count: 3 }], [[undefined, 3]], 3],
  [
    [
      { status: "sold", count: 2n },
      { status: null, count: "3" },
    ],
    [
      ["sold", 2],
      [undefined, 3],
    ],
    5,
  ],
])("counts the rows %o as any database returns them", (rows, counts, total) => {
  const found = statusCounts(rows);
  expect([...found]).toEqual(counts);
  expect(totalOf(found)).toBe(total);
});
