import { usageFailure } from "../../core/errors.ts";
import { furtherKey, keyId, type KeyRecord, keyRecord, makeKey } from "../../server/keys.ts";
import type { Storage } from "../../server/storage/storage.ts";
import type { Context } from "../context.ts";
import type { ServeProfile } from "./serve-profile.ts";
import type { ServeSettings } from "./settings.ts";

/** A key that is shown at the start. */
export interface IssuedKey {
  readonly apiKey: string;
  readonly plan: string;
}

/** What profiles have, and whether the data were there before. */
type Saved = Partial<ServeProfile> & { readonly isOld: boolean };

/**
 * Returns the keys that a start shows, one for each plan, the operator's first, and stores those that are new. Throws a
 * usage Failure, and then changes nothing, if PETS_SERVE_KEY was revoked.
 */
export async function issueKeys(
  context: Context,
  storage: Storage,
  { plans: [first, ...others], apiKey: given, command }: ServeSettings,
  saved: Saved,
): Promise<readonly [IssuedKey, ...IssuedKey[]]> {
  const operator =
    given === undefined
      ? ((await savedKey(context, storage, saved)) ?? makeKey())
      : await givenKey(context, storage, given);
  const known = await storage.readKey(keyId(operator));
  const usual = command === undefined ? "free" : "enterprise";
  const further = others.map(async ({ name }, index) => {
    return { apiKey: await nextKey(storage, operator, index + 2), plan: name };
  });
  const keys = [
    { apiKey: operator, plan: first?.name ?? known?.plan ?? usual },
    ...(await Promise.all(further)),
  ] as const;
  // Keys are ordered by the machine's time: one ms apart, so that their order is certain.
  const now = context.clock.now();
  for (const [index, { apiKey, plan }] of keys.entries())
    await storeKey(context, storage, keyRecord(apiKey, plan, index === 0), now + index);
  return keys;
}

/** Returns PETS_SERVE_KEY. Throws a usage Failure if it was revoked. */
async function givenKey({ note }: Context, storage: Storage, key: string): Promise<string> {
  const id = keyId(key);
  if (await storage.isRevoked(id))
    throw usageFailure(`PETS_SERVE_KEY was revoked in ${storage.place}`, "Set it to another key.");
  if ((await storage.readKey(id))?.isOperator === false)
    await note("PETS_SERVE_KEY is not an operator's key: it does not open `/_store`.");
  return key;
}

/** Returns the first saved key that is an operator's on this data; if there is none, warns why the profile's own is not. */
async function savedKey(
  { warn }: Context,
  storage: Storage,
  { isOld, ownKey, knownKeys = [] }: Saved,
): Promise<string | undefined> {
  for (const key of knownKeys) if ((await storage.readKey(keyId(key)))?.isOperator) return key;
  if (ownKey === undefined) return undefined;
  const id = keyId(ownKey);
  if ((await storage.readKey(id)) !== undefined) await warn("the saved key is not an operator's");
  else if (await storage.isRevoked(id)) await warn("the saved key was revoked");
  else if (isOld)
    await warn(
      `the saved key is not valid for ${storage.place}: it is other data, or was copied without its -wal file`,
    );
  return undefined;
}

/** Returns the further key with this number, or if it was revoked, the one that replaces it. */
async function nextKey(storage: Storage, operator: string, number: number): Promise<string> {
  for (let revoked = 0; ; revoked += 1) {
    const key = furtherKey(operator, storage.pageSecret(), number, revoked);
    if (!(await storage.isRevoked(keyId(key)))) return key;
  }
}

/** Stores a key, unless it is stored with this plan; notes a change of its plan. */
async function storeKey(
  { note }: Context,
  storage: Storage,
  key: KeyRecord,
  now: number,
): Promise<void> {
  const was = (await storage.readKey(key.id))?.plan;
  if (was === key.plan) return;
  await storage.putKey(key, now);
  if (was !== undefined) await note(`The plan of key ${key.id} is now ${key.plan}; it was ${was}.`);
}
