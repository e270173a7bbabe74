import { maskKey } from "../../core/api-key.ts";
import { Failure, usageFailure } from "../../core/errors.ts";
import { formatDateTime, formatZone, isoTime } from "../../core/format.ts";
import { selectColumns } from "../../output/columns.ts";
import { isTable } from "../../output/formats/index.ts";
import { keyId, keyRecord, makeKey, type StoredKey } from "../../server/keys.ts";
import { planSyntax } from "../../server/rate-limits/plans.ts";
import { openKeys } from "../../server/storage/open.ts";
import { type KeyStorage, toStartFailure } from "../../server/storage/storage.ts";
import { readText } from "../arguments.ts";
import { readKey } from "../ask.ts";
import type { Context } from "../context.ts";
import { dataPlace } from "../serve/settings.ts";

/** Lists the keys of a store, oldest first. */
export async function runKeysList(context: Context, data?: string): Promise<void> {
  const stored = await withKeys(context, data, (storage) => storage.listKeys());
  const rows = stored.map((key) => keyRow(context, key));
  await context.print(rows, { none: "No keys. Create one with `pets keys add`." });
}

/** Makes a key and prints it (with `--quiet` nothing else). Throws a usage Failure if `--fields` leaves it out. */
export async function runKeysAdd(
  context: Context,
  planText = "free",
  data?: string,
): Promise<void> {
  const plan = readText("--plan", planSyntax, planText).name;
  const shown = selectColumns(context.columns, context.settings.fields);
  if (!shown.some(({ field }) => field === "apiKey"))
    throw usageFailure("--fields must include apiKey: the key cannot be printed again");
  const apiKey = makeKey();
  const record = keyRecord(apiKey, plan);
  const createdAt = context.clock.now();
  await withKeys(context, data, (storage) => storage.putKey(record, createdAt));
  const { operator: _none, ...made } = keyRow(context, { ...record, createdAt });
  await context.print({ apiKey, ...made }, { quiet: apiKey });
  if (isTable(context.settings)) await context.note("Save it now: it won't be shown again.");
}

/** Revokes the key with this id, or for `-` the key on standard input. Throws a not_found Failure for an unknown one. */
export async function runKeysRevoke(
  context: Context,
  idOrDash: string,
  data?: string,
): Promise<void> {
  const id =
    idOrDash === "-" ? keyId(await readKey(context, "Key to revoke (not shown): ")) : idOrDash;
  const isRevoked = await withKeys(context, data, (storage) => storage.removeKey(id));
  if (isRevoked) return context.note(`Revoked key ${id}.`);
  // What is no id may be the key itself.
  const isId = /^[0-9a-f]{1,16}$/.test(id);
  const byKey = "To revoke a key itself, pass it on standard input: `pets keys revoke -`.";
  throw new Failure("not_found", `no key with the id ${JSON.stringify(isId ? id : maskKey(id))}`, {
    hints: ["See `pets keys list`.", ...(isId ? [] : [byKey])],
  });
}

function keyRow({ settings }: Context, { id, plan, createdAt, isOperator }: StoredKey) {
  const shown = isTable(settings)
    ? `${formatDateTime(createdAt)}${formatZone(createdAt)}`
    : isoTime(createdAt);
  return { id, plan, createdAt: shown, operator: isOperator };
}

/** Opens the keys of the data for `work`. Throws an io Failure that names the data. */
async function withKeys<Result>(
  context: Context,
  data: string | undefined,
  work: (keys: KeyStorage) => Promise<Result>,
): Promise<Result> {
  const file = dataPlace(context, data);
  try {
    const keys = await openKeys(file);
    return await work(keys).finally(keys.close);
  } catch (error) {
    throw toStartFailure(error);
  }
}
