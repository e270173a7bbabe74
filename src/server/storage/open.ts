import type { KeyData, StoreData } from "./storage.ts";

/**
 * Opens what `--data` names: a SQLite file, a database server's URL, or memory if it is undefined.
 * `now` is the store's clock, in ms since the epoch. Throws an io Failure that names the place, and
 * a usage Failure for an invalid URL.
 */
export async function openStorage(
  place: string | undefined,
  now: () => number,
): Promise<StoreData> {
  if (place !== undefined && isDatabaseUrl(place)) {
    const { postgresData } = await import("./postgres/index.ts");
    return postgresData(place, now);
  }
  const { fileData, memoryData } = await import("./sqlite/index.ts");
  return place === undefined ? memoryData() : fileData(place, now);
}

/**
 * Opens the keys of what `--data` names, while a store may be running. Throws an io Failure that
 * names the place, also if no store was made there, and a usage Failure for an invalid URL.
 */
export async function openKeys(place: string): Promise<KeyData> {
  if (isDatabaseUrl(place)) {
    const { postgresKeyData } = await import("./postgres/index.ts");
    return postgresKeyData(place);
  }
  const { openKeysOnly } = await import("./sqlite/index.ts");
  return openKeysOnly(place);
}

/** Whether `--data` names a PostgreSQL database: `postgres://` or, as PostgreSQL has it too, `postgresql://`. */
export function isDatabaseUrl(place: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(place);
}
