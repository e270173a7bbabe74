import { describe, expect, it } from "vitest";
import { readHeader } from "../../../src/imports/input/columns.ts";
import { parseColumnMap } from "../../../src/imports/input/fields.ts";
import type { RowOptions } from "../../../src/imports/input/row.ts";

/** Returns the fields of the columns that a header names; of the others, whether they are ignored. */
function columnsOf(header: string, options: RowOptions) {
  const found = readHeader(header.split(","), options);
  if ("message" in found) throw new Error(found.message);
  return found.map(({ field, isIgnored }) => field ?? isIgnored);
}

describe("readHeader", () => {
  it.each<readonly [string, readonly string[], readonly unknown[]]>([
    ["status,Category,NAME", [], ["status", "categoryId", "name"]],
    ["id,name,categoryid,,", [], [true, "name", "categoryId", false, false]],
    ["Tier,Art", ["tier=name", "ART =category"], ["name", "categoryId"]],
    ["name,Art", ["art=categoryId", "name=name"], ["name", "categoryId"]],
    ["name,Art,Name", ["#3=name", "Art=category"], [true, "categoryId", "name"]],
  ])("%s with --map %j", (header, map, columns) => {
    const options = { ignoreFields: false, columnMap: parseColumnMap(map) };
    expect(columnsOf(header, options)).toEqual(columns);
  });

  it("ignores unknown columns on request, and those without a name", () => {
    const columns = columnsOf("age,name,category,", { ignoreFields: true });
    expect(columns).toEqual([true, "name", "categoryId", true]);
  });

  it("names a missing column of --map as it was typed", () => {
    const options = { ignoreFields: false, columnMap: parseColumnMap(["Tier=name"]) };
    expect(readHeader(["name", "categoryId"], options)).toEqual({
      fatal: "header",
      message: '--map names "Tier", but the columns are name, categoryId',
      cure: [],
    });
  });
});
