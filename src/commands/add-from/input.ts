import { openStage } from "../../imports/database/compare.ts";
import { ImportDatabase } from "../../imports/database/database.ts";
import { openInput } from "../../imports/input/input.ts";
import type { ReadRow } from "../../imports/types.ts";
import type { Context } from "../context.ts";
import { showCheck } from "./display/progress.ts";
import { nextCommand } from "./display/summary.ts";
import type { FromOptions } from "./options.ts";

/** An input whose rows are staged in the record of imports. With a `refusal` nothing of it may be sent. */
export type ValidatedInput = Awaited<ReturnType<typeof openValidatedInput>>;

/** Opens the file of `--from` and reads it once to check it. Rejects with a usage or an io Failure. */
export async function openValidatedInput(context: Context, options: FromOptions) {
  const { folders, stdin, signal, program } = context;
  const source = await openInput({
    ...options,
    stdin,
    signal,
    platform: program.platform,
    command: (flag, isReadOnce) => nextCommand(context, isReadOnce)(flag),
  });
  const progress = showCheck(context, source.name);
  let database: ImportDatabase | undefined;
  const close = (): void => {
    source.close();
    database?.close();
  };
  try {
    database = new ImportDatabase(folders.state, options.dryRun ? "read" : "write");
    const stage = openStage(database);
    const addRows = (rows: readonly ReadRow[]): void => {
      stage.add(rows);
      progress.add(rows.length);
    };
    const checked = await source.check(addRows);
    stage.end();
    return { ...checked, source, database, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  } finally {
    progress.close();
  }
}
