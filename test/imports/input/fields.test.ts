import { describe, expect, it } from "vitest";
import { parseColumnMap } from "../../../src/imports/input/fields.ts";

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
