import type { SqliteDatabase } from "./database.ts";

/** Marks a SQLite file as ours: `PETS` in ASCII (https://sqlite.org/pragma.html#pragma_application_id). */
export const applicationId = 0x50455453;

/** The version of the schema that this program knows; stored as SQLite's user_version. */
export const schemaVersion = 7;

/** Animals are finished JSON, and counted as they are added, as counting a million takes too long. A key's usage is JSON too. */
const schema = `CREATE TABLE pets (id INTEGER PRIMARY KEY, status TEXT, json TEXT NOT NULL) STRICT;
   CREATE INDEX pets_by_status ON pets (status);
   CREATE TABLE counts (status TEXT UNIQUE, count INTEGER NOT NULL) STRICT;
   INSERT INTO counts VALUES (NULL, 0), ('available', 0), ('pending', 0), ('sold', 0);
   CREATE TRIGGER counted AFTER INSERT ON pets BEGIN
     UPDATE counts SET count = count + 1 WHERE status IS new.status;
   END;
   CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     hash BLOB NOT NULL,
     plan TEXT NOT NULL,
     is_operator INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     usage TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE store (id TEXT NOT NULL, page_secret TEXT NOT NULL) STRICT;
   INSERT INTO store VALUES (${randomHex(8)}, ${randomHex(32)});`;

/** Creates the tables in a database that has none, in one transaction. Throws a StorageError. */
export function createTables(database: SqliteDatabase): void {
  if (database.all("PRAGMA user_version")[0]?.user_version === schemaVersion) return;
  database.transaction(() =>
    database.exec(`PRAGMA application_id = ${applicationId};
      ${schema}
      PRAGMA user_version = ${schemaVersion}`),
  );
}

/** Returns SQL for random bytes from a generator that the system seeds. */
export function randomHex(bytes: number): string {
  return `lower(hex(randomblob(${bytes})))`;
}
