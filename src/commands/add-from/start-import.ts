import type { NewImport } from "../../imports/database/import-records.ts";
import { RunAbort } from "../../imports/run/abort.ts";
import { ImportRun } from "../../imports/run/import-run.ts";
import { prepareImport } from "../../imports/run/prepare.ts";
import { addressHash, inputHash } from "../../imports/run/store-identity.ts";
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
  { clock }: Context,
  { name, content, count }: ValidatedInput,
  { baseUrl, apiKey }: ServiceConnection,
): NewImport {
  return {
    input: inputHash(content, baseUrl),
    address: addressHash(baseUrl),
    key: limiterId(baseUrl.origin, apiKey),
    host: baseUrl.host || baseUrl.hostname,
    name,
    rows: count,
    started: clock.now(),
  };
}

/** A run whose import is known. */
export interface StartedRun extends RunContext {
  readonly run: ImportRun;
}

/** Finds the import that is to go on, or begins it, and tells what other imports added. */
export async function startImport(
  context: Context,
  options: FromOptions,
  place: NewImport,
  runContext: RunContext,
): Promise<StartedRun> {
  const { input, connection, limits } = runContext;
  const { clock } = context;
  const { database } = input;
  const rule = { ...options, onlyNew: options.onlyNew || options.addChanged };
  const prepared = await prepareImport(database, place, rule, () => askStore(context, runContext));
  const command = originalCommand(context, input);
  if (prepared.kind === "store_unknown") throw storeUnknown(place.host, command);
  if (prepared.kind === "already_added") throw alreadyAdded(prepared.known, command, place.started);
  const { record, known } = prepared;
  const notes = [
    ...(known === undefined ? [] : await knownNotes(input, known, options, place.started)),
    ...(record.unsent > 0 && !options.checkUnknown ? await equalNotes(input) : []),
  ];
  for (const line of notes) await context.note(line);
  const abort = new RunAbort();
  const run = new ImportRun({ database, record, abort, clock, limits: () => limits.seen });
  return { ...runContext, connection, run };
}

/** Returns how many rows a run has to finish: send, or report again. */
export function leftOf(
  { unsent, sent, unknown, changed }: ImportRun["counts"],
  { checkUnknown: isCheck, addChanged }: Pick<FromOptions, "checkUnknown" | "addChanged">,
): number {
  const doubtful = sent + unknown;
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
