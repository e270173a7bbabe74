import type { ApiEvent, RateLimits } from "../../client/types.ts";
import type { ServiceConnection } from "../../config/connection.ts";
import type { NewImport } from "../../imports/database/import-records.ts";
import { ImportRun } from "../../imports/run/import-run.ts";
import { prepareImport } from "../../imports/run/prepare.ts";
import { addressHash, inputHash } from "../../imports/run/store-identity.ts";
import { limiterId } from "../../rate-limiter/log/files/segment-paths.ts";
import type { Context } from "../context.ts";
import { nextCommand } from "./display/summary.ts";
import type { ValidatedInput } from "./input.ts";
import { alreadyAdded, equalNotes, knownNotes, storeUnknown } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** What the service said last. */
interface SeenReply {
  limits: RateLimits;
  storeId?: string | undefined;
}

export function noteReply(seen: SeenReply, event: ApiEvent): void {
  if (event.type === "reply") Object.assign(seen, { limits: event.limits, storeId: event.storeId });
}

/** An input that is to be sent, and where. */
export interface ImportRequest {
  readonly context: Context;
  readonly options: FromOptions;
  readonly input: ValidatedInput;
  readonly connection: ServiceConnection;
  readonly seen: SeenReply;
}

/** An import that has begun. */
export interface ImportJob extends ImportRequest {
  readonly run: ImportRun;
}

export function placeOf({ context, input, connection }: ImportRequest): NewImport {
  const { baseUrl, apiKey } = connection;
  return {
    input: inputHash(input.hash, baseUrl),
    address: addressHash(baseUrl),
    key: limiterId(baseUrl.origin, apiKey),
    host: baseUrl.host || baseUrl.hostname,
    name: input.source.name,
    rows: input.rows,
    started: context.clock.now(),
  };
}

/** Finds the import that is to go on, or begins it, and tells what other imports added. */
export async function startImport(request: ImportRequest, place: NewImport): Promise<ImportJob> {
  const { context, options, input, seen } = request;
  const { clock } = context;
  const { database } = input;
  const rule = { ...options, onlyNew: options.onlyNew || options.addChanged };
  const prepared = await prepareImport(database, place, rule, () => askStore(request));
  const next = nextCommand(context, input.source.isReadOnce);
  if (prepared.kind === "store_unknown") throw storeUnknown(place.host, next);
  if (prepared.kind === "already_added") throw alreadyAdded(prepared.known, next, place.started);
  const { record, known, isOtherStore } = prepared;
  const notes = [
    ...(isOtherStore ? ["An earlier run sent this input to another store; it begins anew."] : []),
    ...(known === undefined ? [] : await knownNotes(input, known, options, place.started)),
    ...(record.unsent > 0 && !options.checkUnknown ? await equalNotes(input) : []),
  ];
  for (const line of notes) await context.note(line);
  const run = new ImportRun(database, record, clock, () => seen.limits);
  return { ...request, run };
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
async function askStore(request: ImportRequest): Promise<string | undefined> {
  const { context, connection, seen } = request;
  const api = await context.api(connection, { onEvent: (event) => noteReply(seen, event) });
  await api.list({ limit: 1 });
  return seen.storeId;
}
