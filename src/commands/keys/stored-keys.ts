import { maskKey } from "../../core/api-key.ts";
import { Failure, usageFailure } from "../../core/errors.ts";
import { formatDateTime } from "../../core/format.ts";
import { keyColumns, newKeyColumns, selectColumns } from "../../output/columns.ts";
import { isTable } from "../../output/formats/index.ts";
import { isoTime } from "../../output/text/format.ts";
import { type StoredKey, keyRecord, makeKey } from "../../server/keys.ts";
import { openKeys } from "../../server/storage/open.ts";
import { toStartFailure } from "../../server/storage/postgres/database.ts";
import { withFileName } from "../../server/storage/sqlite/file.ts";
import type { KeyStorage } from "../../server/storage/storage.ts";
import type { Context } from "../context.ts";
import { readKey } from "../login/prompts.ts";
import { dataPlace, parsePlanOption } from "../serve/settings.ts";

/** Where the keys are. */
interface DataOption {
  readonly data?: string;
}

/** Lists the keys of a store, oldest first. */
export async function runKeysList(context: Context, options: DataOption): Promise<void> {
  const stored = await withKeys(context, options, (storage) => storage.listKeys());
  const rows = stored.map((key) => keyRow(context, key));
  await context.print(rows, keyColumns);
  if (stored.length === 0 && isTable(context.settings))
    await context.note("No keys. Create one with `pets keys add`.");
}

/**
 * Makes a key and prints it (with `--quiet` nothing else): it can't be shown again. Throws a usage Failure
 * if `--fields` leaves it out.
 */
export async function runKeysAdd(
  context: Context,
  options: DataOption & { readonly plan?: string },
): Promise<void> {
  const plan = parsePlanOption(options.plan ?? "free").name;
  const shown = selectColumns(newKeyColumns, context.settings.fields);
  if (!shown.some(({ field }) => field === "apiKey"))
    throw usageFailure("--fields must include apiKey: the key cannot be printed again");
  const apiKey = makeKey();
  const record = keyRecord(apiKey, plan);
  const createdAt = context.clock.now();
  await withKeys(context, options, (storage) => storage.putKey(record, createdAt));
  const { quiet, formatAsked } = context.settings;
  if (quiet && !formatAsked) return context.stdout.write(`${apiKey}\n`);
  const { operator: _none, ...made } = keyRow(context, { ...record, createdAt });
  await context.print({ apiKey, ...made }, newKeyColumns);
  if (isTable(context.settings)) await context.note("Save it now: it won't be shown again.");
}

/**
 * Makes the key invalid whose id is `idOrDash`, or with `-` the key that standard input holds. Throws a
 * not_found Failure for an unknown one.
 */
export async function runKeysRevoke(
  context: Context,
  idOrDash: string,
  options: DataOption,
): Promise<void> {
  const id =
    idOrDash === "-"
      ? keyRecord(await readKey(context, "Key to revoke (not shown): "), "").id
      : idOrDash;
  if (!(await withKeys(context, options, (storage) => storage.removeKey(id))))
    throw unknownKeyFailure(id);
  await context.note(`Revoked key ${id}.`);
}

/** Returns the Failure for an unknown id, masked if it is not an id: it may be the key itself. */
function unknownKeyFailure(id: string): Failure {
  const isId = /^[0-9a-f]{1,16}$/.test(id);
  return new Failure("not_found", `no key with the id ${JSON.stringify(isId ? id : maskKey(id))}`, {
    hints: [
      "See `pets keys list`.",
      ...(isId ? [] : ["To revoke a key itself, pass it on standard input: `pets keys revoke -`."]),
    ],
  });
}

function keyRow({ settings }: Context, { id, plan, createdAt, isOperator }: StoredKey) {
  const shown = isTable(settings) ? formatDateTime(createdAt) : isoTime(createdAt);
  return { id, plan, createdAt: shown, operator: isOperator };
}

/** Opens the keys of the data for `work`. Throws an io Failure that names the data. */
async function withKeys<Result>(
  context: Context,
  { data }: DataOption,
  work: (keys: KeyStorage) => Promise<Result>,
): Promise<Result> {
  const file = dataPlace(context, data);
  const opened = await openKeys(file);
  try {
    return await work(opened.keys);
  } catch (error) {
    throw toStartFailure(withFileName(file, error));
  } finally {
    await opened.close();
  }
}
