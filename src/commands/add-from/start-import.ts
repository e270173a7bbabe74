import { importsOfInput, prepareRows } from "../../imports/database/import-records.ts";
import { RowRecorder } from "../../imports/database/row-recorder.ts";
import { RunAbort } from "../../imports/run/abort.ts";
import { ImportRun } from "../../imports/run/import-run.ts";
import { beginAt, type ImportPlace, prepareImport } from "../../imports/run/prepare.ts";
import { addressHash, inputHash } from "../../imports/run/store-identity.ts";
import { SyncRule } from "../../imports/run/sync-rule.ts";
import type { RateLimits } from "../../client/types.ts";
import type { ServiceConnection } from "../../config/types.ts";
import { limiterId } from "../../rate-limiter/log/files/segment-paths.ts";
import type { Context } from "../context.ts";
import type { OriginalCommand } from "./display/summary.ts";
import type { ValidatedInput } from "./input.ts";
import { alreadyAdded, equalNotes, knownNotes, storeUnknown } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** What a run needs. */
export interface RunContext {
  readonly input: ValidatedInput;
  readonly connection: ServiceConnection;
  /** The limits that the service last reported. */
  readonly limits: { seen: RateLimits };
}

export function placeOf(
  { folders, clock }: Context,
  { name, content, count, database }: ValidatedInput,
  { baseUrl, apiKey }: ServiceConnection,
): ImportPlace {
  return {
    database,
    state: folders.state,
    input: inputHash(content, baseUrl),
    address: addressHash(baseUrl),
    key: limiterId(baseUrl.origin, apiKey),
    host: baseUrl.host || baseUrl.hostname,
    name,
    rows: count,
    now: clock.now(),
  };
}

/** A run whose import is known. */
export interface StartedRun extends RunContext {
  readonly run: ImportRun;
  readonly recorder: RowRecorder;
}

/** Finds the import that is to go on, or begins it, and tells what other imports added. */
export async function startImport(
  context: Context,
  options: FromOptions,
  place: ImportPlace,
  runContext: RunContext,
): Promise<StartedRun> {
  const { input, connection, limits } = runContext;
  const { clock } = context;
  const { database } = input;
  const rule = { ...options, onlyNew: options.onlyNew || options.addChanged };
  const prepared = await prepareImport(place, rule, () => askStore(context, runContext));
  const command = originalCommand(context, input);
  if (prepared.kind === "store_unknown") throw storeUnknown(place.host, command);
  if (prepared.kind === "already_added") throw alreadyAdded(prepared.known, command, place.now);
  const { record, known } = prepared;
  const notes = [
    ...(known === undefined ? [] : await knownNotes(input, known, options, place.now)),
    ...(record.counts.unsent > 0 && !options.checkUnknown ? await equalNotes(input) : []),
  ];
  for (const line of notes) await context.note(line);
  const sync = new SyncRule(() => limits.seen, leftOf(record.counts, options));
  const recorder: RowRecorder = new RowRecorder(database, {
    now: () => clock.now(),
    sleep: (ms) => clock.sleep(ms, new AbortController().signal),
    mustSync: () => sync.mustSync(leftOf(recorder.counts(record), options)),
  });
  const openOther = (storeId: string) => {
    const found = importsOfInput(database, place.input).find(({ store }) => store === storeId);
    const other = found ?? beginAt(place, storeId, false);
    prepareRows(database, other);
    return other;
  };
  const abort = new RunAbort();
  const now = () => clock.now();
  const run = new ImportRun({ database, recorder, record, abort, openOther, now, sync });
  return { ...runContext, connection, run, recorder };
}

/** Returns how many rows a run has to finish: send, or report again. */
export function leftOf(
  { unsent, sent, resent, unknown, changed }: ImportRun["counts"],
  { checkUnknown: isCheck, addChanged }: Pick<FromOptions, "checkUnknown" | "addChanged">,
): number {
  const doubtful = sent + resent + unknown;
  return isCheck ? doubtful : doubtful + unsent + (addChanged ? changed : 0);
}

/** Sends one request, and returns the id of the store that answers; undefined if it sends none. */
async function askStore(
  context: Context,
  { connection, limits }: RunContext,
): Promise<string | undefined> {
  let storeId: string | undefined;
  const api = await context.api(connection, {
    onEvent(event) {
      if (event.type !== "reply") return;
      ({ storeId } = event);
      limits.seen = event.limits;
    },
  });
  await api.list({ limit: 1 });
  return storeId;
}

/** Returns the command line that the import was started with. */
export function originalCommand(
  { argv, program }: Context,
  { isReadOnce }: ValidatedInput,
): OriginalCommand {
  return { argv, isReadOnce, platform: program.platform };
}
