import { expect, it } from "vitest";
import type { OutputFormatName } from "../../../src/core/enums.ts";
import { renderRecords } from "../../../src/output/formats/index.ts";
import { options, rex } from "../pets.ts";

const render = (
  format: OutputFormatName,
  records: readonly object[],
  changes: Parameters<typeof options>[0] = {},
) => renderRecords(records, format, options(changes));

it.each<[OutputFormatName, string]>([
  ["table", "ID\n7\n"],
  ["json", '[{"id":7}]\n'],
  ["ndjson", '{"id":7}\n'],
  ["csv", "id\r\n7\r\n"],
  ["tsv", "id\n7\n"],
])("renders %s", async (format, text) => {
  expect(await render(format, [rex], { fields: ["id"] })).toBe(text);
});

it.each<[OutputFormatName, string]>([
  ["table", ""],
  ["json", "[]\n"],
  ["ndjson", ""],
  ["csv", "id\r\n"],
  ["tsv", "id\n"],
])("renders no records as %s: %j", async (format, text) => {
  expect(await render(format, [], { fields: ["id"] })).toBe(text);
});

it("shows booleans and numbers unchanged", async () => {
  const columns = [
    { field: "on", header: "ON", kind: "text" },
    { field: "count", header: "COUNT", kind: "number" },
  ] as const;
  const records = [{ on: false, count: 0 }];
  expect(await render("json", records, { columns })).toBe('[{"on":false,"count":0}]\n');
  expect(await render("csv", records, { columns })).toBe("on,count\r\nfalse,0\r\n");
  expect(await render("table", records, { columns })).toBe("ON     COUNT\nfalse  0\n");
});
