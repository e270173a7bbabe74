import { expect, it } from "vitest";
import { openColumnMeter } from "../../../../src/commands/add-from/display/column-meter.ts";

it.each([
  ["Rex", 3],
  ["日本", 4],
  ["\x1b", 4],
  ["👩‍👩‍👧", 2],
  ["e\u0301", 1],
])("measures %j as %i columns", async (name, width) => {
  const meter = await openColumnMeter();
  meter.add([{ name, categoryId: -12n }]);
  meter.add([{ name: "", categoryId: 1n, status: "sold" }]);
  expect(meter.widths).toEqual({ name: width, categoryId: 3, status: 4 });
});
