import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../src/cli/program.ts";
import { openPrintStream, print } from "../../src/commands/print.ts";
import { number, text } from "../../src/output/columns.ts";
import { profileTest } from "./profile-context.ts";

const columns = [number("id"), text("name")];
const rex = { id: 7, name: "Rex" };

describe("print", () => {
  it.each<[globals: TypedOptions, records: object, printed: string]>([
    [{}, [rex], "ID  NAME\n7   Rex\n"],
    [{}, [], ""],
    [{ json: true }, [rex], '[{"id":7,"name":"Rex"}]\n'],
    [{ json: true }, rex, '{"id":7,"name":"Rex"}\n'],
    [{ output: "tsv", fields: "name,id" }, [rex], "name\tid\nRex\t7\n"],
    [{ output: "ndjson", fields: "name" }, rex, '{"name":"Rex"}\n'],
  ])("prints as %j asks %j", async (globals, records, printed) => {
    const { context, stdout } = profileTest({ globals });
    await print(context, records, columns);
    expect(stdout.text).toBe(printed);
  });

  it("rejects an unknown field", async () => {
    const { context } = profileTest({ globals: { fields: "nam" } });
    await expect(print(context, rex, columns)).rejects.toMatchObject({ kind: "usage" });
  });
});

it.each([
  [true, '{"id":7,"name":"Rex"}\n'],
  [false, '[{"id":7,"name":"Rex"}]\n'],
])("a stream of JSON, live: %s, is %j", async (live, printed) => {
  const { context } = profileTest({ globals: { json: true } });
  const stream = await openPrintStream(context, columns, live);
  expect(stream.add([rex]) + stream.end()).toBe(printed);
});
