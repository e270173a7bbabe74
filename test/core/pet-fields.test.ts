import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asPetStatus, isEmptyName, petText, problemInName } from "../../src/core/pet-fields.ts";

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
    ["\u200b", true],
    ["\u2060\ufeff\u00ad\u180e", true],
    ["\u3164\u115f\uffa0", true],
    ["\u2800", true],
    ["\u202e\u2066", true],
    ["\ufe0f\u{e0020}", true],
    ["\0\x1b", true],
    [" a ", false],
    ["\u200bRex", false],
    ["名", false],
    ["👩‍🦰", false],
    ["-", false],
  ])("%j: %s", (name, expected) => {
    expect(isEmptyName(name)).toBe(expected);
  });
});

describe("problemInName", () => {
  it.each<[string, string | undefined]>([
    ["Rex", undefined],
    [" Rex ", undefined],
    ["Miss\tKitty", undefined],
    ["Zürich", undefined],
    ["\u200b", "--name must not be empty"],
    ["<name>", "--name: replace <name> with a name"],
    [
      "Z\uFFFDrich",
      '--name "Z\uFFFDrich" must be UTF-8 text: the terminal or the script uses another encoding',
    ],
    ["Rex\r", '--name "Rex\\r" must not end with \\r: the script has the line ends of Windows'],
    ["Rex\r ", '--name "Rex\\r " must not end with \\r: the script has the line ends of Windows'],
    ["Rex\n", '--name "Rex\\n" must not end with the control character \\n'],
    ["Rex\x1b", '--name "Rex\\u001b" must not end with the control character \\x1b'],
    ["\x07Rex", '--name "\\u0007Rex" must not begin with the control character \\x07'],
    ["Rex\x85", '--name "Rex\x85" must not end with the control character \\x85'],
  ])("of %j: %s", (name, expected) => {
    expect(problemInName("--name", name)).toBe(expected);
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
