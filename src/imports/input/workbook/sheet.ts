import type { InputRecord, TableRecord, TextFault } from "../../types.ts";
import type { RowOptions } from "../columns.ts";
import { faultRecord } from "../fault-words.ts";
import { chunkSize, type InputFile } from "../open.ts";
import { readTable } from "../table.ts";
import type { InputText } from "../text.ts";
import type { Workbook } from "./workbook.ts";

/** A sheet of a workbook, or why it cannot be read. */
export type Sheet = Workbook | TextFault;

/** Reads the sheet of a workbook that is called `name`, or the first one with rows. */
export async function openSheet(file: InputFile, name: string | undefined): Promise<Sheet> {
  const { maxBytes, readWorkbook } = await import("./workbook.ts");
  // One chunk more tells that it is too large.
  const chunks = file.chunks().take(Math.ceil(maxBytes / chunkSize) + 1);
  // Copies: each chunk overwrites the one before.
  const copies = chunks.map((chunk) => Buffer.from(chunk));
  return readWorkbook(Buffer.concat(copies.toArray()), name);
}

const turnRows = 1000;

/** Yields the rows of a sheet; the line of a row is its number in the sheet. */
export function* readSheet(
  sheet: Sheet,
  text: InputText,
  options: RowOptions,
): Generator<InputRecord | undefined> {
  const { skipLines = 0 } = options;
  if ("message" in sheet) {
    yield faultRecord({ line: 1 }, sheet);
    return;
  }
  function* records({ rows }: Workbook): Generator<TableRecord> {
    for (const [at, { line, cells }] of rows.entries()) {
      if (at % turnRows === 0) text.chunks += 1;
      if (line > skipLines) yield { line, cells: [...cells] };
    }
  }
  yield* readTable(text, records(sheet), options, "xlsx");
}
