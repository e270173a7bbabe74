import type { KeyData, StoreData } from "./storage.ts";

/**
 * Opens what `--data` names: a SQLite file, a database server's URL, or memory if it is undefined.
 * `now` is the store's clock, in ms since the epoch; bans last `banMs`, but for a database server. Throws an io Failure that names the place, and
 * a usage Failure for an invalid URL.
 */
export async function openStorage(
  place: string | undefined,
  now: () => number,
  banMs?: number,
): Promise<StoreData> {
  if (place !== undefined && isDatabaseUrl(place)) {
    const { postgresData } = await import("./postgres/index.ts");
    return postgresData(place, now);
  }
  const { fileData, memoryData } = await import("./sqlite/index.ts");
  return place === undefined ? memoryData(banMs) : fileData(place, now, banMs);
}

/**
 * Opens the keys of what `--data` names, even while a store is running on it. Throws an io Failure that
 * names the place, also if there is no store in it, and a usage Failure for an invalid URL.
 */
export async function openKeys(place: string): Promise<KeyData> {
  if (isDatabaseUrl(place)) {
    const { postgresKeyData } = await import("./postgres/index.ts");
    return postgresKeyData(place);
  }
  const { openKeysOnly } = await import("./sqlite/index.ts");
  return openKeysOnly(place);
}

/** Returns whether `--data` names a PostgreSQL database, by `postgres://` or PostgreSQL's other form `postgresql://`. */
export function isDatabaseUrl(place: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(place);
}
