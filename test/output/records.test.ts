import { describe, expect, it } from "vitest";
import {
  fieldText,
  pickFields,
  shownColumns,
  type RecordColumn,
} from "../../src/output/records.ts";

const column = (field: string): RecordColumn => ({ field, header: "X", kind: "text" });
const columns = ["id", "name", "status"].map(column);

describe("shownColumns", () => {
  it.each<[readonly string[] | undefined, readonly string[]]>([
    [undefined, ["id", "name", "status"]],
    [
      ["status", "id"],
      ["status", "id"],
    ],
    [["unknown", "name"], ["name"]],
    [[], []],
  ])("of the fields %j are %j", (fields, shown) => {
    const options = fields === undefined ? { columns } : { columns, fields };
    expect(shownColumns(options).map(({ field }) => field)).toEqual(shown);
  });
});

describe("fieldText", () => {
  it.each<[unknown, string]>([
    ["Rex", "Rex"],
    ["", ""],
    [2n ** 63n - 1n, "9223372036854775807"],
    [0, "0"],
    [false, "false"],
    [undefined, ""],
    [null, ""],
    [{ inner: { count: 1n } }, '{"inner":{"count":1}}'],
    [{ envVar: "PETS_API_KEY", set: true }, '{"envVar":"PETS_API_KEY","set":true}'],
  ])("of %o is %s", (value, text) => {
    expect(fieldText({ key: value }, column("key"))).toBe(text);
  });

  it.each(["toString", "__proto__", "constructor"])("of a missing field %s is empty", (field) => {
    expect(fieldText({ id: 1n }, column(field))).toBe("");
  });
});

it("picks only the fields of the columns, in their order", () => {
  const record = { status: "sold", secret: "x", id: 1n };
  const picked = pickFields(record, columns);
  expect(Object.entries(picked)).toEqual([
    ["id", 1n],
    ["name", undefined],
    ["status", "sold"],
  ]);
});
