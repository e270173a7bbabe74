import { isSameKey, type KeyRecord, keyRecord } from "./keys.ts";
import type { Storage } from "./storage.ts";

/** The record that `storage` keeps of `key`; undefined where the key is not valid there. */
export async function findKey(
  storage: Pick<Storage, "findKey">,
  key: string,
): Promise<KeyRecord | undefined> {
  const presented = keyRecord(key, "");
  const kept = await storage.findKey(presented.id);
  return kept !== undefined && isSameKey(kept, presented) ? kept : undefined;
}
