import { findKey } from "../../server/routes/find-key.ts";
import { keyRecord, makeKey } from "../../server/keys.ts";
import type { Storage } from "../../server/storage/storage.ts";
import type { ServeSettings } from "./settings.ts";

/** A key that the store tells of at its start. */
export interface IssuedKey {
  readonly apiKey: string;
  readonly plan: string;
}

/**
 * One key for each plan, kept in `storage` with that plan; earlier keys stay valid. The first is the
 * one from PETS_SERVE_KEY, else `localKey` where it is valid on this data, else a new one.
 */
export async function issueKeys(
  storage: Storage,
  { plans: [first, ...others], apiKey }: ServeSettings,
  localKey: string | undefined,
  now: number,
): Promise<readonly [IssuedKey, ...IssuedKey[]]> {
  const again = apiKey ?? ((await isValid(storage, localKey)) ? localKey : undefined);
  const keys: readonly [IssuedKey, ...IssuedKey[]] = [
    { apiKey: again ?? makeKey(), plan: first.name },
    ...others.map(({ name }) => ({ apiKey: makeKey(), plan: name })),
  ];
  for (const key of keys) await storage.putKey(keyRecord(key.apiKey, key.plan), now);
  return keys;
}

async function isValid(storage: Storage, key: string | undefined): Promise<boolean> {
  return key !== undefined && (await findKey(storage, key)) !== undefined;
}
