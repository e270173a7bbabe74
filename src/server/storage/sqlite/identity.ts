import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** Returns which store the data in `database` belongs to. */
export function sqliteIdentity(database: DatabaseSync) {
  const select = database.prepare("SELECT id, page_secret FROM store");
  const update = database.prepare("UPDATE store SET id = ?");
  let row = select.get();
  return {
    storeId: (): string => String(row?.id),
    pageSecret: (): string => String(row?.page_secret),
    /** Gives the data another id, within the open transaction. */
    renew: (): void => {
      update.run(randomBytes(8).toString("hex"));
    },
    /** Reads the id again, after that transaction is committed. */
    reload: (): void => {
      row = select.get();
    },
  };
}

export type SqliteIdentity = ReturnType<typeof sqliteIdentity>;
