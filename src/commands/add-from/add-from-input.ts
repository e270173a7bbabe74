import { type BulkInput, openInput } from "../../bulk/input/input.ts";
import type { Row } from "../../bulk/types.ts";
import type { Context } from "../context.ts";
import type { PetWidths, ColumnMeter } from "./display/bulk-widths.ts";
import type { FromOptions } from "./options.ts";

/** An input of which every row was found valid. */
export interface ValidatedInput extends Pick<BulkInput, "name" | "isReadOnce" | "rows" | "close"> {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly content: string;
  /** How many rows there are. */
  readonly count: number;
  /** How wide their fields are; 0 where no table is shown. */
  readonly widths: PetWidths;
}

/** Opens the file of `--from`, and reads it once to check it. Rejects with a usage or an io Failure. */
export async function openValidatedInput(
  context: Context,
  options: FromOptions,
): Promise<ValidatedInput> {
  const { stdin, signal, settings } = context;
  const { file, format, ignoreUnknown } = options;
  const input = await openInput({
    file,
    stdin,
    signal,
    ignoreUnknown,
    ...(format !== undefined && { format }),
  });
  try {
    const meter = settings.format === "table" ? await openMeter() : undefined;
    const measure = (rows: readonly Row[]): void => meter?.add(rows.map(({ pet }) => pet));
    const { rows: count, hash: content } = await input.check(measure);
    const widths = meter ?? { name: 0, categoryId: 0, status: 0 };
    const parts = { rows: () => input.rows(), close: () => input.close() };
    const { name, isReadOnce } = input;
    return { name, isReadOnce, ...parts, content, count, widths };
  } catch (error) {
    input.close();
    throw error;
  }
}

async function openMeter(): Promise<ColumnMeter> {
  const { openWidthMeter } = await import("./display/bulk-widths.ts");
  return openWidthMeter();
}
