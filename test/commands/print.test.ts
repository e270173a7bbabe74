import { describe, expect, it } from "vitest";
import { openPrinter } from "../../src/commands/print.ts";
import type { TypedOptions } from "../../src/config/settings.ts";
import type { RecordColumn } from "../../src/output/records.ts";
import { profileTest } from "./profile-context.ts";

const columns: readonly RecordColumn[] = [
  { field: "id", header: "ID", kind: "number" },
  { field: "name", header: "NAME", kind: "text" },
];

describe("openPrinter", () => {
  it.each<[globals: TypedOptions, single: boolean, printed: string]>([
    [{}, false, "ID  NAME\n7   Rex\n"],
    [{ json: true }, false, '[{"id":7,"name":"Rex"}]\n'],
    [{ json: true }, true, '{"id":7,"name":"Rex"}\n'],
    [{ output: "tsv", fields: "name,id" }, false, "name\tid\nRex\t7\n"],
    [{ output: "ndjson", fields: "name" }, true, '{"name":"Rex"}\n'],
  ])("prints as %j asks, single: %j", async (globals, single, printed) => {
    const { context, stdout } = profileTest({ globals });
    const printer = await openPrinter(context, columns);
    await printer.print([{ id: 7, name: "Rex" }], { single });
    expect(stdout.text).toBe(printed);
  });

  it("writes nothing for no records in a table", async () => {
    const { context, stdout } = profileTest();
    await (await openPrinter(context, columns)).print([], { single: false });
    expect(stdout.text).toBe("");
  });

  it("returns the fields that --fields names", async () => {
    const { context } = profileTest({ globals: { fields: "name, name" } });
    expect((await openPrinter(context, columns)).fields).toEqual(["name"]);
    expect((await openPrinter(profileTest().context, columns)).fields).toBeUndefined();
  });

  it("rejects an unknown field before anything is printed", async () => {
    const { context } = profileTest({ globals: { fields: "nam" } });
    await expect(openPrinter(context, columns)).rejects.toMatchObject({ kind: "usage" });
  });
});
