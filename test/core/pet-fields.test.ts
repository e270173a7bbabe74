import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asPetStatus, isEmptyName, petText } from "../../src/core/pet-fields.ts";

const part = fc.oneof(fc.constantFrom("1", "2:", "-", "1:1", "\n"), fc.string());
const anyText = fc.record(
  { name: part, categoryId: fc.bigInt(), status: part },
  { requiredKeys: ["name", "categoryId"] },
);

it("makes equal texts of equal animals only", () => {
  fc.assert(
    fc.property(anyText, anyText, (one, other) => {
      const isEqual =
        one.name === other.name &&
        one.categoryId === other.categoryId &&
        one.status === other.status;
      expect(petText(one) === petText(other)).toBe(isEqual);
      expect(petText({ ...one })).toBe(petText(one));
    }),
  );
});

it("compares the given fields only", () => {
  const [one, other] = [{ name: "Rex", status: "sold" }, { name: "Rex" }];
  expect(petText(one, ["name"])).toBe(petText(other, ["name"]));
  expect(petText(one)).not.toBe(petText(other));
});

describe("isEmptyName", () => {
  it.each<[string, boolean]>([
    ["", true],
    [" \t\n\u3000\u00a0", true],
    ["\u200b", false],
    [" a ", false],
    ["\0", false],
  ])("%j: %s", (name, expected) => {
    expect(isEmptyName(name)).toBe(expected);
  });
});

describe("asPetStatus", () => {
  it.each<[unknown, string | undefined]>([
    ["sold", "sold"],
    ["available", "available"],
    ["Sold", undefined],
    ["", undefined],
    [null, undefined],
    [0, undefined],
    [["sold"], undefined],
  ])("%j is %j", (value, expected) => {
    expect(asPetStatus(value)).toBe(expected);
  });
});
