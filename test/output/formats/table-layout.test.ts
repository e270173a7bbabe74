import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { petColumns } from "../../../src/output/columns.ts";
import { fitColumns } from "../../../src/output/formats/table-layout.ts";

describe("fitColumns", () => {
  it.each([
    ["no terminal", [1, 200, 1, 9], undefined, [2, 200, 8, 9], 2],
    ["a wide terminal", [1, 20, 1, 9], 80, [2, 20, 8, 9], 2],
    ["just wide enough", [1, 20, 1, 9], 45, [2, 20, 8, 9], 2],
    ["names give way first", [1, 20, 1, 9], 44, [2, 19, 8, 9], 2],
    ["down to one column", [1, 20, 1, 9], 26, [2, 1, 8, 9], 2],
    ["then headers of numbers", [1, 20, 3, 9], 22, [2, 1, 4, 9], 2],
    ["then statuses", [1, 20, 1, 9], 12, [1, 1, 1, 3], 2],
    ["then gaps", [1, 20, 1, 9], 8, [1, 1, 1, 1], 1],
    ["numbers never", [19, 20, 19, 9], 20, [19, 1, 19, 1], 1],
  ])("%s", (_case, contents, terminal, widths, gap) => {
    expect(fitColumns(petColumns, contents, terminal)).toEqual({ widths, gap });
  });

  it("never cuts codes", () => {
    const columns = (["code", "text"] as const).map((kind) => ({ field: kind, header: "", kind }));
    expect(fitColumns(columns, [37, 9], 45).widths).toEqual([37, 6]);
    expect(fitColumns(columns, [37, 9], 20).widths).toEqual([37, 1]);
  });

  it("shrinks the widest of several columns of a kind", () => {
    const columns = ["A", "B"].map((header) => ({ field: header, header, kind: "text" as const }));
    expect(fitColumns(columns, [30, 10], 22).widths).toEqual([10, 10]);
    expect(fitColumns(columns, [30, 10], 20).widths).toEqual([9, 9]);
  });

  it("fits whenever the numbers do", () => {
    const width = fc.nat(30);
    fc.assert(
      fc.property(
        fc.tuple(width, width, width, width),
        fc.integer({ min: 1, max: 90 }),
        (contents, terminal) => {
          const { widths, gap } = fitColumns(petColumns, contents, terminal);
          const total = widths.reduce((sum, one) => sum + one, 3 * gap);
          const least = Math.max(1, contents[0]) + 1 + Math.max(1, contents[2]) + 1 + 3;
          expect(total).toBeLessThanOrEqual(Math.max(terminal, least));
          expect(widths[0]).toBeGreaterThanOrEqual(contents[0]);
          expect(widths[2]).toBeGreaterThanOrEqual(contents[2]);
          expect(Math.min(...widths)).toBeGreaterThan(0);
        },
      ),
    );
  });
});
