import type { InputRecord, TableRecord } from "../types.ts";
import type { RowOptions } from "./columns.ts";
import { faultRecord } from "./fault-words.ts";
import type { InputFile } from "./open.ts";
import { readTable } from "./table.ts";
import type { InputText } from "./text.ts";

/** A sheet of a workbook, or why it cannot be read. */
export type Sheet = Awaited<ReturnType<(typeof import("./workbook.ts"))["readWorkbook"]>>;

/** Reads the sheet of a workbook that is called `name`, or the first one with rows. */
export async function openSheet(file: InputFile, name: string | undefined): Promise<Sheet> {
  const { readWorkbook } = await import("./workbook.ts");
  // Copies: each chunk overwrites the one before.
  const chunks = file.chunks().map((chunk) => Buffer.from(chunk));
  return readWorkbook(Buffer.concat(chunks.toArray()), name);
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
  function* records({ rows }: Exclude<Sheet, { message: string }>): Generator<TableRecord> {
    for (const [at, { line, cells }] of rows.entries()) {
      if (at % turnRows === 0) text.chunks += 1;
      if (line > skipLines) yield { line, cells: [...cells] };
    }
  }
  const style = { hasTitles: true, hasNulls: true };
  const count = yield* readTable(text, records(sheet), options, style);
  if (count === 0) yield faultRecord({ line: 1 }, { message: "is empty", fatal: "file" });
}
