import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../src/cli/program.ts";
import { openPrinter } from "../../src/commands/print.ts";
import type { Column } from "../../src/output/columns.ts";
import { profileTest } from "./profile-context.ts";

const columns: readonly Column[] = [
  { field: "id", header: "ID", kind: "number" },
  { field: "name", header: "NAME", kind: "text" },
];

const rex = { id: 7, name: "Rex" };

describe("openPrinter", () => {
  it.each<[globals: TypedOptions, records: object, printed: string]>([
    [{}, [rex], "ID  NAME\n7   Rex\n"],
    [{ json: true }, [rex], '[{"id":7,"name":"Rex"}]\n'],
    [{ json: true }, rex, '{"id":7,"name":"Rex"}\n'],
    [{ output: "tsv", fields: "name,id" }, [rex], "name\tid\nRex\t7\n"],
    [{ output: "ndjson", fields: "name" }, rex, '{"name":"Rex"}\n'],
  ])("prints as %j asks %j", async (globals, records, printed) => {
    const { context, stdout } = profileTest({ globals });
    const printer = await openPrinter(context, columns);
    await printer.print(records);
    expect(stdout.text).toBe(printed);
  });

  it("writes nothing for no records in a table", async () => {
    const { context, stdout } = profileTest();
    await (await openPrinter(context, columns)).print([]);
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
