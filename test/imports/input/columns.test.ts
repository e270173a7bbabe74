import { describe, expect, it } from "vitest";
import { parseColumnMap, readHeader } from "../../../src/imports/input/columns.ts";

const field = (name: string) => ({ field: name });

describe("readHeader", () => {
  it.each<readonly [string, readonly string[], object]>([
    ["status,Category,NAME", [], [field("status"), field("categoryId"), field("name")]],
    [
      "id,name,categoryid,,",
      [],
      [field("id"), field("name"), field("categoryId"), "unnamed", "unnamed"],
    ],
    ["Tier,Art", ["tier=name", "ART =category"], [field("name"), field("categoryId")]],
    ["name,Art", ["art=categoryId", "name=name"], [field("name"), field("categoryId")]],
  ])("%s with --map %j", (header, map, columns) => {
    const options = { ignoreUnknown: false, columnMap: parseColumnMap(map) };
    expect(readHeader(header.split(","), options)).toEqual({ columns });
  });

  it("leaves out unknown columns on request", () => {
    expect(readHeader(["age", "name", "category"], { ignoreUnknown: true })).toEqual({
      columns: ["ignored", field("name"), field("categoryId")],
    });
  });

  it("names a missing column of --map", () => {
    const options = { ignoreUnknown: false, columnMap: parseColumnMap(["Tier=name"]) };
    expect(readHeader(["name", "categoryId"], options)).toEqual({
      message: '--map names the column "tier", but the header has name, categoryId',
    });
  });
});

describe("parseColumnMap", () => {
  it.each([
    ["Tier = Art=name", "tier = art", "name"],
    [" Kategorie=Category", "kategorie", "categoryId"],
  ])("%j maps %j to %s", (text, column, mapped) => {
    expect(parseColumnMap([text])).toEqual(new Map([[column, mapped]]));
  });

  it.each(["a", "a=", "=name", "a=id", "a=age", " =name"])("refuses %j", (text) => {
    expect(() => parseColumnMap([text])).toThrow(
      `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${JSON.stringify(text)}`,
    );
  });
});
