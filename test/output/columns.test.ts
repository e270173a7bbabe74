import { describe, expect, it } from "vitest";
import { petColumns, selectColumns } from "../../src/output/columns.ts";

const select = (fields: readonly string[] | undefined) =>
  selectColumns(petColumns, fields).map(({ field }) => field);

describe("selectColumns", () => {
  it.each([
    [undefined, ["id", "name", "categoryId", "status"]],
    [
      ["status", "id", "status"],
      ["status", "id"],
    ],
  ])("of %j is %j", (fields, selected) => {
    expect(select(fields)).toEqual(selected);
  });

  it.each([
    [["nmae"], 'unknown field "nmae" in --fields; did you mean "name"?'],
    [["id", "categoryid"], 'unknown field "categoryid" in --fields; did you mean "categoryId"?'],
    [["__proto__"], 'unknown field "__proto__" in --fields'],
    [["\x1b[2J"], "\\u001b[2J"],
  ])("refuses %j", (fields, message) => {
    expect(() => select(fields)).toThrow(
      expect.objectContaining({ kind: "usage", message: expect.stringContaining(message) }),
    );
  });
});
