import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** Which store the data in `database` is. */
export function sqliteIdentity(database: DatabaseSync) {
  const select = database.prepare("SELECT id, page_secret FROM store");
  const update = database.prepare("UPDATE store SET id = ?");
  let row = select.get();
  return {
    storeId: (): string => String(row?.id),
    pageSecret: (): string => String(row?.page_secret),
    /** Gives it another id, inside whatever transaction is open. */
    renew: (): void => {
      update.run(randomBytes(8).toString("hex"));
    },
    /** Reads the id again, once that transaction is committed. */
    reload: (): void => {
      row = select.get();
    },
  };
}

export type SqliteIdentity = ReturnType<typeof sqliteIdentity>;
