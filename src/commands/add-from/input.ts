import { type BulkInput, openInput } from "../../imports/input/input.ts";
import { ImportDatabase } from "../../imports/database/database.ts";
import { openStage } from "../../imports/database/staged-input.ts";
import type { Row } from "../../imports/types.ts";
import { isTable } from "../../output/formats/index.ts";
import { Failure } from "../../core/errors.ts";
import { outcomesOf } from "../../imports/report/outcomes.ts";
import type { ResultsFile, ResultsSource } from "../../imports/report/results-file.ts";
import type { Context } from "../context.ts";
import { openCheckProgress } from "./display/check-progress.ts";
import type { ColumnMeter, PetWidths } from "./display/column-meter.ts";
import type { FromOptions } from "./options.ts";

/** An input in which every row is valid, but those that `--skip-invalid` leaves out. */
export interface ValidatedInput extends Pick<BulkInput, "name" | "isReadOnce" | "rows" | "close"> {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly content: string;
  /** How many rows there are, valid or not. */
  readonly count: number;
  /** How many of them are invalid, and left out. */
  readonly invalid: number;
  /** What is wrong with those, if there are any. */
  readonly invalidRows: Failure | undefined;
  /** The record of imports, with the rows staged in it. */
  readonly database: ImportDatabase;
  /** How wide their fields are; 0 if no table is shown. */
  readonly widths: PetWidths;
  /** All its records, valid or not. */
  readonly source: ResultsSource;
}

/** Opens the file of `--from` and reads it once to check it. Rejects with a usage or an io Failure. */
export async function openValidatedInput(
  context: Context,
  options: FromOptions,
  results?: ResultsFile,
): Promise<ValidatedInput> {
  const { stdin, signal, settings, folders } = context;
  const { platform } = context.program;
  const input = await openInput({ stdin, signal, platform, ...readingOptions(options) });
  const progress = openCheckProgress(context, input.name);
  let database: ImportDatabase | undefined;
  const close = (): void => {
    input.close();
    database?.close();
  };
  try {
    const meter = isTable(settings) ? await openMeter() : undefined;
    database = new ImportDatabase(folders.state, options.dryRun ? "read" : "write");
    const stage = openStage(database);
    const measure = (rows: readonly Row[]): void => {
      stage.add(rows);
      progress.add(rows.length);
      meter?.add(rows.map(({ pet }) => pet));
    };
    const { rows: count, hash: content, invalid, failure } = await input.check(measure);
    stage.end();
    const widths = meter?.widths ?? {};
    const { name, isReadOnce } = input;
    const rows = () => input.rows();
    const leftOut = { invalid, invalidRows: failure };
    return {
      ...leftOut,
      name,
      isReadOnce,
      rows,
      close,
      content,
      count,
      widths,
      database,
      source: input,
    };
  } catch (error) {
    if (isInvalid(error) && database !== undefined) await results?.write(input, checked(database));
    close();
    throw error;
  } finally {
    progress.close();
  }
}

/** Returns whether invalid rows keep an import from starting. */
function isInvalid(error: unknown): boolean {
  return error instanceof Failure && error.facts.details !== undefined;
}

const checked = (database: ImportDatabase) =>
  outcomesOf(database, { record: undefined, unsent: "valid", isCompared: false });

/** Returns how the file is read. */
function readingOptions(options: FromOptions) {
  const { from, header, name, category, status, ...others } = options;
  const defaults = {
    ...(name !== undefined && { name }),
    ...(category !== undefined && { categoryId: category }),
    ...(status !== undefined && { status }),
  };
  return {
    ...others,
    file: from,
    noHeader: !header,
    ...(Object.keys(defaults).length > 0 && { defaults }),
  };
}

async function openMeter(): Promise<ColumnMeter> {
  const { openColumnMeter } = await import("./display/column-meter.ts");
  return openColumnMeter();
}
