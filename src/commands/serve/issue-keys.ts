import { keyRecord, makeKey } from "../../server/keys.ts";
import type { Storage } from "../../server/storage/storage.ts";
import type { Context } from "../context.ts";
import type { ServeProfile } from "./serve-profile.ts";
import type { ServeSettings } from "./settings.ts";

/** A key that is shown at the start. */
export interface IssuedKey {
  readonly apiKey: string;
  readonly plan: string;
}

type IssuedKeys = readonly [IssuedKey, ...IssuedKey[]];

/** Stores a key for each plan; the operator's first: PETS_SERVE_KEY, else the one given out last, else a new one. */
export async function issueKeys(
  { clock, note, warn }: Context,
  storage: Storage,
  { plans: [first, ...others], apiKey, command }: ServeSettings,
  { isOld, ownKey, knownKeys = [] }: Partial<ServeProfile> & { readonly isOld: boolean },
): Promise<IssuedKeys> {
  const known = await storedKey(storage, apiKey === undefined ? knownKeys : [apiKey]);
  if (isOld && known === undefined && apiKey === undefined && ownKey !== undefined)
    await warn(
      `the saved key is not valid for ${storage.place}: it is other data, or was copied without its -wal file`,
    );
  const plan = first?.name ?? known?.plan ?? (command === undefined ? "free" : "enterprise");
  const keys: IssuedKeys = [
    { apiKey: apiKey ?? known?.apiKey ?? makeKey(), plan },
    ...others.map(({ name }) => ({ apiKey: makeKey(), plan: name })),
  ];
  // Their order is the machine's time; one ms apart, so that it is known.
  const now = clock.now();
  for (const [index, key] of keys.entries())
    await storage.putKey(keyRecord(key.apiKey, key.plan, index === 0), now + index);
  if (known !== undefined && known.plan !== plan)
    await note(`The plan of the key is now ${plan}; it was ${known.plan}.`);
  return keys;
}

/** Returns the operator's key if it is among `keys`, else the first that is valid on the data. */
async function storedKey(
  storage: Storage,
  keys: readonly string[],
): Promise<IssuedKey | undefined> {
  let valid: IssuedKey | undefined;
  for (const apiKey of keys) {
    const record = await storage.findKey(keyRecord(apiKey, "").id);
    if (record?.isOperator) return { apiKey, plan: record.plan };
    if (record !== undefined) valid ??= { apiKey, plan: record.plan };
  }
  return valid;
}
