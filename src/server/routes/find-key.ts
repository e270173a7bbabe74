import { isSameKey, type KeyRecord, keyRecord } from "../keys.ts";
import type { Storage } from "../storage/storage.ts";

/** How many of the keys that were presented last have their hash remembered. */
const mostRemembered = 1_000;
const remembered = new Map<string, KeyRecord>();

/** The record that `storage` keeps of `key`; undefined where the key is not valid there. */
export async function findKey(
  storage: Pick<Storage, "findKey">,
  key: string,
): Promise<KeyRecord | undefined> {
  const presented = remembered.get(key) ?? remember(key);
  const kept = await storage.findKey(presented.id);
  return kept !== undefined && isSameKey(kept, presented) ? kept : undefined;
}

function remember(key: string): KeyRecord {
  const record = keyRecord(key, "");
  if (remembered.size >= mostRemembered) remembered.clear();
  remembered.set(key, record);
  return record;
}
