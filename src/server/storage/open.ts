import { postgresData, postgresKeys } from "./postgres/index.ts";
import { fileData, fileKeys, memoryData } from "./sqlite/index.ts";
import type { KeyStorage, StoreData } from "./storage.ts";

/** Opens a SQLite file, memory (bans last `banMs`), or a database by its URL (with `connections` at most). Throws a Failure. */
export async function openStorage(
  place: string | undefined,
  now: () => number,
  banMs?: number,
  connections?: number,
): Promise<StoreData> {
  if (place === undefined) return memoryData(banMs);
  return isDatabaseUrl(place) ? postgresData(place, now, connections) : fileData(place, now, banMs);
}

/** Opens the keys of `place`, even while a store is running on it. Throws like `openStorage`, and if there is no store. */
export async function openKeys(place: string): Promise<KeyStorage> {
  return isDatabaseUrl(place) ? postgresKeys(place) : fileKeys(place);
}

/** Returns whether `place` is the URL of a PostgreSQL database, which has two forms. */
export function isDatabaseUrl(place: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(place);
}
