import { describe, expect, it } from "vitest";
import { parseColumnMap } from "../../../src/imports/input/fields.ts";
import { readHeader } from "../../../src/imports/input/columns.ts";

const field = (name: string) => ({ field: name });

describe("readHeader", () => {
  it.each<readonly [string, readonly string[], readonly unknown[]]>([
    ["status,Category,NAME", [], [field("status"), field("categoryId"), field("name")]],
    [
      "id,name,categoryid,,",
      [],
      ["ignored", field("name"), field("categoryId"), "unnamed", "unnamed"],
    ],
    ["Tier,Art", ["tier=name", "ART =category"], [field("name"), field("categoryId")]],
    ["name,Art", ["art=categoryId", "name=name"], [field("name"), field("categoryId")]],
  ])("%s with --map %j", (header, map, columns) => {
    const options = { ignoreFields: false, columnMap: parseColumnMap(map) };
    expect(readHeader(header.split(","), options)).toEqual(columns);
  });

  it("leaves out unknown columns on request", () => {
    expect(readHeader(["age", "name", "category"], { ignoreFields: true })).toEqual([
      "ignored",
      field("name"),
      field("categoryId"),
    ]);
  });

  it("names a missing column of --map as it was typed", () => {
    const options = { ignoreFields: false, columnMap: parseColumnMap(["Tier=name"]) };
    expect(readHeader(["name", "categoryId"], options)).toEqual({
      message: '--map names "Tier", but the columns are name, categoryId',
      cure: [],
    });
  });
});
