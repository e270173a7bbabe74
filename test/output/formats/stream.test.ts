import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { OutputFormatName } from "../../../src/core/enums.ts";
import { parseExact } from "../../../src/core/json/parse.ts";
import { stringifyExact } from "../../../src/core/json/stringify.ts";
import type { NewPet } from "../../../src/core/pet.ts";
import { newPetColumns } from "../../../src/output/columns.ts";
import { outputFormats } from "../../../src/output/formats/index.ts";
import { anyPet } from "../pets.ts";

const pets: readonly NewPet[] = [
  { name: "Rex", categoryId: 9223372036854775807n, status: "sold" },
  { name: "日本", categoryId: 3n },
];

/** Returns the text of `given` in batches of one, with an empty batch at the end. */
async function textOf(format: OutputFormatName, given: readonly NewPet[], terminal = false) {
  const writer = await outputFormats[format].load();
  const stream = await writer.open({
    columns: newPetColumns,
    widths: [4, 19, 4],
    single: false,
    live: false,
    terminal,
    color: false,
  });
  let all = "";
  for (const pet of given) all += stream.add([pet]);
  if (format !== "csv" && format !== "tsv") all += stream.add([]);
  return all + stream.end();
}

it.each<[OutputFormatName, boolean, string]>([
  [
    "json",
    false,
    '[{"name":"Rex","categoryId":9223372036854775807,"status":"sold"},{"name":"日本","categoryId":3}]\n',
  ],
  [
    "ndjson",
    false,
    '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}\n{"name":"日本","categoryId":3}\n',
  ],
  ["csv", false, "name,categoryId,status\r\nRex,9223372036854775807,sold\r\n日本,3,\r\n"],
  ["tsv", false, "name\tcategoryId\tstatus\nRex\t9223372036854775807\tsold\n日本\t3\t\n"],
  ["table", false, "NAME  CATEGORY             STATUS\nRex   9223372036854775807  sold\n日本  3\n"],
  ["json", true, `${stringifyExact(pets, 2)}\n`],
])("shows animals that would be sent as %s, terminal: %s", async (format, terminal, text) => {
  expect(await textOf(format, pets, terminal)).toBe(text);
});

it.each<[OutputFormatName, string]>([
  ["json", "[]\n"],
  ["ndjson", ""],
  ["csv", "name,categoryId,status\r\n"],
  ["tsv", "name\tcategoryId\tstatus\n"],
  ["table", ""],
])("shows none as %s: %j", async (format, text) => {
  expect(await textOf(format, [])).toBe(text);
});

it("is read back unchanged", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyPet, { minLength: 1 }), fc.boolean(), async (given, terminal) => {
      const names = given.map(({ name }) => name);
      const json = parseExact(await textOf("json", given, terminal)) as { name: string }[];
      expect(json.map(({ name }) => name)).toEqual(names);
      const csv: Record<string, string>[] = parse(await textOf("csv", given), { columns: true });
      expect(csv.map(({ name }) => name)).toEqual(names.map((name) => name.toWellFormed()));
    }),
  );
});
