import { existsSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Returns the path of the record of imports of a program whose home is `home`. */
export const recordIn = (home: string | undefined): string =>
  path.join(home ?? "", ".local/state/pets/imports.db");

/** Returns what `sql` yields in the record of imports below `home`; nothing if there is none. */
export function readRecord(
  home: string | undefined,
  sql: string,
): readonly Readonly<Record<string, unknown>>[] {
  const file = recordIn(home);
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
