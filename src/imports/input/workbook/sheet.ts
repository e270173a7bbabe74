import { usageFailure } from "../../../core/errors.ts";
import type { TableRecord } from "../../types.ts";
import { chunkSize, type InputFile } from "../open.ts";
import type { InputText } from "../text.ts";
import type { Workbook } from "./workbook.ts";

/** Reads the sheet of a workbook that is called `name`, or the first one with rows. Rejects with a usage Failure. */
export async function openSheet(file: InputFile, name: string | undefined): Promise<Workbook> {
  const { faultOf, maxBytes, readWorkbook } = await import("./workbook.ts");
  // One chunk more tells that it is too large.
  const chunks = file.chunks().take(Math.ceil(maxBytes / chunkSize) + 1);
  // Copies: each chunk overwrites the one before.
  const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)).toArray());
  return readWorkbook(bytes, name).catch((error: unknown) => {
    throw usageFailure(`${file.name} ${faultOf(error).message}`);
  });
}

const turnRows = 1000;

/** Yields the rows of a sheet that are not skipped; the line of a row is its number in the sheet. */
export function* sheetRows(
  { rows }: Workbook,
  text: InputText,
  skipLines = 0,
): Generator<TableRecord> {
  for (const [at, { line, cells }] of rows.entries()) {
    if (at % turnRows === 0) text.chunks += 1;
    if (line > skipLines) yield { line, cells: [...cells] };
  }
}
