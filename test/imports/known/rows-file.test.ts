import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { Fingerprints } from "../../../src/imports/known/fingerprints.ts";
import {
  readRows,
  readRowsHeader,
  rowsFile,
  writeRowsFile,
} from "../../../src/imports/known/rows-file.ts";
import { temporaryFolder } from "../../support/program/program.ts";

const header = { address: "0".repeat(32), input: "Tier\nheim 日本.csv" };

function write(count: number): { readonly file: string; readonly rows: Fingerprints } {
  const file = rowsFile(temporaryFolder(), "1".repeat(32));
  const rows = new Fingerprints();
  for (let i = 0; i < count; i += 1) rows.add({ name: `Pet ${i}`, categoryId: 1n });
  writeRowsFile(file, header, rows);
  return { file, rows };
}

it.each([0, 1, 70_000])("reads back the rows that it wrote: %d", (count) => {
  const { file, rows } = write(count);
  expect(readRowsHeader(file)).toEqual({ ...header, rows: count });
  let wrong = 0;
  let next = 0;
  readRows(file, (source, row) => {
    if (row !== next || source.word(row, 3) !== rows.word(row, 3)) wrong += 1;
    next += 1;
  });
  expect([next, wrong]).toEqual([count, 0]);
});

it("is private, and replaces an earlier file", () => {
  const { file } = write(2);
  writeRowsFile(file, header, new Fingerprints());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readRowsHeader(file)).toMatchObject({ rows: 0 });
});

it.each(["", "pets-bulk-rows 1 {", "pets-bulk-rows 1 no JSON\n", "pets-bulk-rows 2 {}\n"])(
  "finds no header in %j",
  (text) => {
    const file = path.join(temporaryFolder(), "x.rows");
    expect(readRowsHeader(file)).toBeUndefined();
    writeFileSync(file, text);
    expect(readRowsHeader(file)).toBeUndefined();
  },
);
