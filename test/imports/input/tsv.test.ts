import { describe, expect, it } from "vitest";
import { assertCutsMakeNoDifference } from "../support/any-pets.ts";
import { faultsOf, read } from "../support/input.ts";
import { int64Rule, mebi } from "../support/invalid-rows.ts";

describe("rows and their lines", () => {
  it.each<readonly [string, string, readonly number[]]>([
    ["a header alone", "name\tcategoryId", []],
    ["LF", "name\tcategoryId\nRex\t1\nRex\t1\n", [2, 3]],
    ["CRLF and a byte-order mark", "\uFEFFname\tcategoryId\r\nRex\t1\r\nRex\t1", [2, 3]],
    ["blank lines", "\n \t\nname\tcategoryId\n\n\t\nRex\t1", [6]],
  ])("with %s", async (_what, content, lines) => {
    const rows = await read(content, { format: "tsv" });
    expect(rows.map(({ line, index }) => [line, index])).toEqual(lines.map((line, i) => [line, i]));
  });
});

it.each([
  ["back\\\\slash", "back\\slash"],
  ["\\\\n", "\\n"],
  ["\\t\\n\\r\\\\\\t", "\t\n\r\\\t"],
  ['"Rex"', '"Rex"'],
  ["Re\u2028x, the; 1st", "Re\u2028x, the; 1st"],
])("reads the value %s", async (written, name) => {
  const [row] = await read(`name\tcategoryId\n${written}\t1\n`, { format: "tsv" });
  expect(row?.pet.name).toBe(name);
});

it.each([
  ["", "1 is empty: the first line must be a header (name,categoryId,status)"],
  [
    "Rex\t1\n",
    '1 the first line must be a header (name,categoryId,status), but looks like data: "Rex,1"',
  ],
  ["name\tcategoryId\nRe\\x\t1", "2 has the unknown escape \\x: write a backslash as \\\\"],
  ["name\tcategoryId\nRex\\\t1", "2 has the unknown escape \\: write a backslash as \\\\"],
  ["name\tcategoryId\nRex\t1\t\tsold", "2 has 4 values but the header has 2 columns"],
  ["name\tcategoryId\nRex\tx", `2 categoryId: ${int64Rule}, not "x"`],
  [`name\tcategoryId\n${"x".repeat(2 * mebi)}\t1`, "2 must be 1 MiB at most"],
])("rejects %.40j", async (content, fault) => {
  const found = await faultsOf(content, { format: "tsv" });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(fault);
});

it("reads any text the same, however it is split", async () => {
  await expect(assertCutsMakeNoDifference("tsv")).resolves.toBeUndefined();
});
