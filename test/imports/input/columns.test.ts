import { describe, expect, it } from "vitest";
import { parseColumnMap, readHeader, type RowOptions } from "../../../src/imports/input/columns.ts";

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

describe("parseColumnMap", () => {
  it.each([
    ["Tier = Art=name", "tier = art", "name"],
    [" Kategorie=Category", "kategorie", "categoryId"],
  ])("%j maps %j to %s", (text, column, mapped) => {
    const name = text.slice(0, text.lastIndexOf("="));
    expect(parseColumnMap([text])).toEqual(new Map([[column, { field: mapped, name }]]));
  });

  it.each(["a", "a=", "=name", "a=id", "a=age", " =name"])("refuses %j", (text) => {
    expect(() => parseColumnMap([text])).toThrow(
      `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${JSON.stringify(text)}`,
    );
  });

  it.each<readonly [string[], string]>([
    [["Animal=name", "ANIMAL=status"], '--map "ANIMAL=status" contradicts --map "Animal=name"'],
    [["Animal=name", "Tier=name"], '--map "Tier=name" contradicts --map "Animal=name"'],
  ])("refuses %j", (values, message) => {
    expect(() => parseColumnMap(values)).toThrow(message);
  });

  it("takes the same mapping twice", () => {
    expect(parseColumnMap(["Animal=name", "animal=name"]).size).toBe(1);
  });
});
