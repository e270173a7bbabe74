import type { ServiceConnection } from "../../config/connection.ts";
import type { NewImport } from "../../imports/database/import-records.ts";
import { ImportRun } from "../../imports/run/import-run.ts";
import { prepareImport } from "../../imports/run/prepare.ts";
import { addressHash, inputHash } from "../../imports/run/store-identity.ts";
import type { Limiter } from "../../rate-limiter/types.ts";
import type { Context } from "../context.ts";
import { type NextCommand, nextCommand } from "./display/summary.ts";
import type { ValidatedInput } from "./input.ts";
import { alreadyAdded, equalNotes, knownNotes, neverImported } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** An input that is to be sent, and where. */
export interface ImportRequest {
  readonly context: Context;
  readonly options: FromOptions;
  readonly input: ValidatedInput;
  readonly connection: ServiceConnection;
}

/** An import that has begun. */
export interface ImportJob extends ImportRequest {
  readonly limiter: Limiter;
  readonly run: ImportRun;
  readonly next: NextCommand;
}

export function placeOf({ context, input, connection }: ImportRequest): NewImport {
  const { baseUrl } = connection;
  return {
    input: inputHash(input.source.hash, baseUrl),
    address: addressHash(baseUrl),
    host: baseUrl.host || baseUrl.hostname,
    name: input.source.name,
    rows: input.rows,
    started: context.clock.now(),
  };
}

/** How long to wait before looking again whether another import is prepared, in ms. */
const startDelayMs = 100;

/** Finds the import that is to go on, or begins it. */
export function prepare(request: ImportRequest, place: NewImport) {
  const { context, options, input } = request;
  return prepareImport(input.database, place, options, {
    askStore: () => askStore(request),
    wait: () => context.clock.sleep(startDelayMs, context.signal),
  });
}

/** Starts an import that was prepared, and tells what other imports added. Throws a Failure if nothing may be sent. */
export async function startImport(
  request: ImportRequest,
  place: NewImport,
  prepared: Awaited<ReturnType<typeof prepare>>,
): Promise<ImportJob> {
  const { context, options, input, connection } = request;
  const { database, source } = input;
  const next = nextCommand(context, source.isReadOnce);
  if (prepared.kind === "never_imported") throw neverImported(place, next);
  if (prepared.kind === "already_added") throw alreadyAdded(prepared.known, next, place.started);
  const { record, known, isOtherStore } = prepared;
  const notes = [
    ...(isOtherStore ? ["An earlier run sent this input to another store; it begins anew."] : []),
    ...(known === undefined ? [] : await knownNotes(input, known, options, place.started)),
    ...(record.unsent > 0 && !options.checkUnknown
      ? await equalNotes(input, !options.onlyNew)
      : []),
  ];
  for (const line of notes) await context.note(line);
  const limiter = await context.limiter(connection);
  const run = new ImportRun(database, record, context.clock, () => limiter.status());
  return { ...request, limiter, run, next };
}

/** Sends one request, and returns the id of the store that answers; undefined if it sends none. */
async function askStore({ context, connection }: ImportRequest): Promise<string | undefined> {
  let storeId: string | undefined;
  const api = await context.api(connection, {
    onEvent: (event) => {
      if (event.type === "reply") ({ storeId } = event);
    },
  });
  await api.list({ limit: 1 });
  return storeId;
}
