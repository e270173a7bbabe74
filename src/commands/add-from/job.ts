import { openStage } from "../../imports/database/compare.ts";
import { ImportDatabase } from "../../imports/database/database.ts";
import { openInput } from "../../imports/input/input.ts";
import { openResults } from "../../imports/results.ts";
import type { Context } from "../context.ts";
import { showCheck } from "./display/progress.ts";
import { type NextCommand, nextCommand } from "./display/summary.ts";
import type { FromOptions } from "./options.ts";

/** A file to add, whose rows are staged in the record of imports. With a `refusal` nothing of it may be sent. */
export type ImportJob = Awaited<ReturnType<typeof openJob>>;

/** Opens the file of `--from` and reads it once to check it. Rejects with a usage or an io Failure. */
export async function openJob(context: Context, options: FromOptions) {
  const { folders, stdin, signal, program } = context;
  const results =
    options.results === undefined ? undefined : openResults(options.results, options.from);
  const source = await openInput({
    ...options,
    stdin,
    signal,
    platform: program.platform,
    command: (flag, isReadOnce) => nextCommand(context, isReadOnce)(flag),
  });
  const next: NextCommand = nextCommand(context, source.isReadOnce);
  const progress = showCheck(context, source.name);
  let database: ImportDatabase | undefined;
  const close = (): void => {
    source.close();
    database?.close();
  };
  try {
    database = new ImportDatabase(folders.state, options.dryRun ? "read" : "write");
    const stage = openStage(database);
    const checked = await source.check((rows) => {
      stage.add(rows);
      progress.add(rows.length);
    });
    stage.end();
    const job = { context, options, ...checked, source, database, results, next };
    return { ...job, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  } finally {
    progress.close();
  }
}
