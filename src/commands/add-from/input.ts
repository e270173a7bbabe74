import path from "node:path";
import { parseColumnMap } from "../../imports/input/column-map.ts";
import { type BulkInput, openInput } from "../../imports/input/input.ts";
import { journalName } from "../../imports/journal/open.ts";
import type { JournalRef } from "../../imports/journal/read.ts";
import { Fingerprints } from "../../imports/known/fingerprints.ts";
import type { Row } from "../../imports/types.ts";
import { isTable } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";
import { openCheckProgress } from "./display/check-progress.ts";
import type { ColumnMeter, PetWidths } from "./display/column-meter.ts";
import type { FromOptions } from "./options.ts";

/** An input in which every row is valid. */
export interface ValidatedInput extends Pick<BulkInput, "name" | "isReadOnce" | "rows" | "close"> {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly content: string;
  /** How many rows there are. */
  readonly count: number;
  readonly fingerprints: Fingerprints;
  /** How wide their fields are; 0 if no table is shown. */
  readonly widths: PetWidths;
}

/** Opens the file of `--from` and reads it once to check it. Rejects with a usage or an io Failure. */
export async function openValidatedInput(
  context: Context,
  { from: file, format, map, ignoreUnknown }: FromOptions,
): Promise<ValidatedInput> {
  const { stdin, signal, settings } = context;
  const input = await openInput({
    file,
    stdin,
    signal,
    ignoreUnknown,
    columnMap: parseColumnMap(map),
    ...(format !== undefined && { format }),
  });
  const progress = openCheckProgress(context, input.name);
  try {
    const meter = isTable(settings) ? await openMeter() : undefined;
    const fingerprints = new Fingerprints();
    const measure = (rows: readonly Row[]): void => {
      for (const { pet } of rows) fingerprints.add(pet);
      progress.add(rows.length);
      meter?.add(rows.map(({ pet }) => pet));
    };
    const { rows: count, hash: content } = await input.check(measure);
    const widths = meter?.widths ?? {};
    const { name, isReadOnce } = input;
    const methods = { rows: () => input.rows(), close: () => input.close() };
    return { name, isReadOnce, ...methods, content, count, widths, fingerprints };
  } catch (error) {
    input.close();
    throw error;
  } finally {
    progress.close();
  }
}

async function openMeter(): Promise<ColumnMeter> {
  const { openColumnMeter } = await import("./display/column-meter.ts");
  return openColumnMeter();
}

/** Returns where the journal of an input is when it is sent to `baseUrl`, with any key. */
export function journalRef({ folders }: Context, input: ValidatedInput, baseUrl: URL): JournalRef {
  const folder = path.join(folders.state, "bulk");
  return { folder, name: journalName(input.content, baseUrl), rows: input.count };
}
