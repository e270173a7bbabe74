import { Failure } from "../../core/errors.ts";
import type { NewPetField } from "../../core/pet-fields.ts";
import { ImportDatabase } from "../../imports/database/database.ts";
import { openStage } from "../../imports/database/staged-input.ts";
import { openInput } from "../../imports/input/input.ts";
import { outcomesOf } from "../../imports/report/outcomes.ts";
import type { ResultsFile } from "../../imports/report/results-file.ts";
import type { Row } from "../../imports/types.ts";
import { isTable } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";
import { showCheck } from "./display/progress.ts";
import { type PetWidths, widenColumns } from "./display/rows.ts";
import type { FromOptions } from "./options.ts";

/**
 * An input that was read once, in which every row is valid but those that `--skip-invalid` leaves out; with the
 * record of imports, in which its rows are staged, and how wide its fields are in a table.
 */
export type ValidatedInput = Awaited<ReturnType<typeof openValidatedInput>>;

/** Opens the file of `--from` and reads it once to check it. Rejects with a usage or an io Failure. */
export async function openValidatedInput(
  context: Context,
  options: FromOptions,
  results?: ResultsFile,
) {
  const { settings, folders } = context;
  const source = await openInput(readingOptions(context, options));
  const progress = showCheck(context, source.name);
  const widths: PetWidths = {};
  let database: ImportDatabase | undefined;
  const close = (): void => {
    source.close();
    database?.close();
  };
  try {
    database = new ImportDatabase(folders.state, options.dryRun ? "read" : "write");
    const stage = openStage(database);
    const checked = await source.check((rows: readonly Row[]) => {
      stage.add(rows);
      progress.add(rows.length);
      if (isTable(settings)) widenColumns(widths, rows);
    });
    stage.end();
    return { ...checked, source, database, widths, [Symbol.dispose]: close };
  } catch (error) {
    // Only if rows are invalid: then all of them were read.
    if (error instanceof Failure && error.facts.details !== undefined && database !== undefined) {
      await results?.write(source, outcomesOf(database, undefined, "valid"));
    }
    close();
    throw error;
  } finally {
    progress.close();
  }
}

/** Returns how the file is read. */
function readingOptions({ stdin, signal, program }: Context, options: FromOptions) {
  const { from, header, name, category, status, ...others } = options;
  const fields: Readonly<Record<NewPetField, unknown>> = { name, categoryId: category, status };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    ...others,
    stdin,
    signal,
    platform: program.platform,
    file: from,
    noHeader: !header,
    ...(given.length > 0 && { defaults: Object.fromEntries(given) }),
  };
}
