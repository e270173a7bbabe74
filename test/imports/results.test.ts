import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openResults, type ResultOf } from "../../src/imports/results.ts";
import type { InputFormat, InputRecord, InputShape } from "../../src/imports/types.ts";
import { temporaryFolder } from "../support/program/program.ts";

const folders = { config: "/a", data: "/a", state: "/a", cache: "/a" };
const context = { folders, atExit: () => () => {} };

const added = { outcome: "added", id: "9223372036854775807" };
const rejected = { outcome: "rejected", code: "bad", error: 'no, "never"' };

const resultOf: ResultOf = (number) => (number === 0 ? added : rejected);

/** Writes results of an input with these rows to a file with this ending, and returns what it has. */
async function resultsOf(
  format: InputFormat,
  originals: readonly InputRecord["original"][],
  to: string,
  shape: Partial<InputShape> = {},
): Promise<string> {
  const file = path.join(temporaryFolder(), `results${to}`);
  const read = { index: 0, line: 1, pet: { name: "a", categoryId: 1n } };
  const source = {
    format,
    async *records() {
      for (const original of originals) yield [{ read, original }];
    },
  };
  const written = { lineEnd: "\n", hasByteOrderMark: false, ...shape };
  const input = { source, shape: written, invalid: 1 };
  const { signal } = new AbortController();
  await openResults(file, "input", context).write(input, resultOf, signal);
  return readFileSync(file, "utf8");
}

const objects = ['{"name":"Rex","age":1.50,"id":3}', '{"tag":{"a":[1]},"name":null}'];
const cells = [
  ["Rex", "3", "x;y", "=1"],
  ["a\tb", "4", '"', ""],
];
const columns = ["name", "id", "Notes", "Notes"];
const semicolons = { delimiter: ";", columns, lineEnd: "\r\n", hasByteOrderMark: true };

it.each<[InputFormat, readonly InputRecord["original"][], string, Partial<InputShape>, string[]]>([
  [
    "ndjson",
    objects,
    ".txt",
    {},
    [
      '{"name":"Rex","age":1.50,"outcome":"added","id":9223372036854775807}\n',
      '{"tag":{"a":[1]},"name":null,"outcome":"rejected","error":{"code":"bad","message":"no, \\"never\\""}}\n',
    ],
  ],
  [
    "json",
    objects.slice(0, 1),
    ".json",
    { hasByteOrderMark: true },
    ['[\n{"name":"Rex","age":1.50,"outcome":"added","id":9223372036854775807}\n]\n'],
  ],
  ["json", [], ".json", {}, ["[]\n"]],
  [
    "ndjson",
    objects,
    ".csv",
    {},
    [
      "name,age,tag,outcome,id,error\r\n",
      "Rex,1.50,,added,9223372036854775807,\r\n",
      ',,"{""a"":[1]}",rejected,,"no, ""never"""\r\n',
    ],
  ],
  [
    "csv",
    cells,
    ".csv",
    semicolons,
    [
      "\ufeffname;Notes;Notes;outcome;id;error\r\n",
      'Rex;"x;y";=1;added;9223372036854775807;\r\n',
      'a\tb;"""";;rejected;;"no, ""never"""\r\n',
    ],
  ],
  [
    "csv",
    cells,
    ".tsv",
    semicolons,
    [
      "name\tNotes\tNotes\toutcome\tid\terror\n",
      "Rex\tx;y\t=1\tadded\t9223372036854775807\t\n",
      'a\\tb\t"\t\trejected\t\tno, "never"\n',
    ],
  ],
  [
    "csv",
    cells.slice(0, 1),
    ".ndjson",
    semicolons,
    ['{"name":"Rex","Notes":"x;y","Notes#4":"=1","outcome":"added","id":9223372036854775807}\n'],
  ],
  [
    "csv",
    [["Rex", "3", "more", ""]],
    "",
    { columns: ["name", "id"] },
    ["name,,,outcome,id,error\n", "Rex,more,,added,9223372036854775807,\n"],
  ],
  [
    "xlsx",
    cells.slice(0, 1),
    "",
    { columns, lineEnd: "\n" },
    ["name,Notes,Notes,outcome,id,error\r\n", "Rex,x;y,=1,added,9223372036854775807,\r\n"],
  ],
  [
    "xlsx",
    cells.slice(0, 1),
    ".json",
    { columns },
    [
      '[\n{"name":"Rex","Notes":"x;y","Notes#4":"=1","outcome":"added","id":9223372036854775807}\n]\n',
    ],
  ],
  ["csv", [], "", { columns: ["name"], lineEnd: "\n" }, ["name,outcome,id,error\n"]],
])("results of %s with the rows %j in a file %j", async (format, rows, to, shape, lines) => {
  expect(await resultsOf(format, rows, to, shape)).toBe(lines.join(""));
});

it("are not written as a workbook", () => {
  const file = path.join(temporaryFolder(), "results.XLSX");
  const message = `--results cannot write a workbook (${file}); name a .csv file`;
  expect(() => openResults(file, "input", context)).toThrow(message);
  expect(readdirSync(path.dirname(file))).toEqual([]);
});

it.each<[string, number, string]>([
  ["before", 0, "old"],
  ["in the middle", 2, "old"],
  ["not", 9, "1\n2\n3\n"],
])("leaves a file as it was where the run is abandoned %s", async (_what, after, expected) => {
  const file = path.join(temporaryFolder(), "results.csv");
  writeFileSync(file, "old");
  const abort = new AbortController();
  if (after === 0) abort.abort();
  const source = {
    format: "csv" as const,
    async *records() {
      for (let line = 1; line <= 3; line += 1) {
        yield [
          { read: { index: 0, line, pet: { name: "a", categoryId: 1n } }, original: [`${line}`] },
        ];
        if (line === after) abort.abort();
      }
    },
  };
  const shape = { columns: ["name"], lineEnd: "\n", hasByteOrderMark: false };
  const results = openResults(file, "input", context);
  await results.write({ source, shape, invalid: 0 }, resultOf, abort.signal);
  const text = readFileSync(file, "utf8");
  expect(text.replaceAll(/,.*/g, "").replace("name\n", "")).toBe(expected);
  expect(readdirSync(path.dirname(file))).toEqual(["results.csv"]);
});
