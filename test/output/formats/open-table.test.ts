import * as fc from "fast-check";
import { expect, it } from "vitest";
import { petColumns } from "../../../src/output/columns.ts";
import { cellText, cellWidth, openTable } from "../../../src/output/formats/table-layout.ts";
import { tableWriter } from "../../../src/output/formats/table.ts";
import type { RenderedRecord } from "../../../src/output/records.ts";
import { anyPet, huge, options, rex } from "../pets.ts";

function widest(records: readonly RenderedRecord[]): readonly number[] {
  return petColumns.map((column) =>
    Math.max(...records.map((record) => cellWidth(cellText(record, column)))),
  );
}

it("aligns rows that are written one after another", async () => {
  const table = await openTable(petColumns, widest([rex, huge]), { color: false });
  const parts = [table.add([]), table.add([rex]), table.add([huge]), table.end()];
  expect(parts.join("")).toBe(await tableWriter.render([rex, huge], options()));
});

it("cuts what is wider than the table was opened for, on a terminal", async () => {
  const table = await openTable(petColumns, [1, 4, 1, 9], { color: false, width: 80 });
  table.add([rex]);
  expect(table.add([{ ...rex, name: "Rexie" }])).toBe("7   Rex…  3         available\n");
  expect(table.add([{ ...rex, id: 1234567n }])).toBe("1234567  Rex   3         available\n");
});

it("writes the lines of renderTable, whatever the records", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyPet, { minLength: 1, maxLength: 8 }),
      fc.option(fc.nat(100), { nil: undefined }),
      fc.boolean(),
      async (pets, width, color) => {
        const sized = width !== undefined && { width };
        const table = await openTable(petColumns, widest(pets), { color, ...sized });
        const whole = await tableWriter.render(pets, options({ terminal: true, color, ...sized }));
        expect(table.add(pets)).toBe(whole);
      },
    ),
  );
});
