import type { DatabaseSync } from "node:sqlite";

/** Marks a SQLite file as ours: `PETS` in ASCII (https://sqlite.org/pragma.html#pragma_application_id). */
export const applicationId = 0x50455453;

/** The n-th migrates from version n to n + 1. */
const migrations = [
  // An animal never changes, so its finished JSON is stored.
  `CREATE TABLE pets (id INTEGER PRIMARY KEY, status TEXT, json TEXT NOT NULL) STRICT;
   CREATE INDEX pets_by_status ON pets (status);
   CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     hash BLOB NOT NULL,
     plan TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  // The second and fifth version had a table of usages.
  "",
  // One row: which store this is.
  `CREATE TABLE store (id TEXT NOT NULL, page_secret TEXT NOT NULL) STRICT;
   INSERT INTO store VALUES (${randomHex(8)}, ${randomHex(32)});`,
  "ALTER TABLE keys ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 0;",
  "",
  // The usage of a key (limits.ts, Usage) as JSON.
  "DROP TABLE IF EXISTS usages; ALTER TABLE keys ADD COLUMN usage TEXT;",
];

/** The version of the schema that this program knows; stored as SQLite's user_version. */
export const schemaVersion = migrations.length;

/** Returns the version of the schema in `database`; 0 if there is none yet. */
export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Migrates the schema in one transaction. */
export function migrateFile(database: DatabaseSync): void {
  const version = readVersion(database);
  if (version === schemaVersion) return;
  database.exec(`BEGIN IMMEDIATE;
    PRAGMA application_id = ${applicationId};
    ${migrations.slice(version).join("\n")}
    PRAGMA user_version = ${schemaVersion};
    COMMIT;`);
}

/** Returns the SQL for as many random bytes, in hex: from a generator that the system seeds. */
export function randomHex(bytes: number): string {
  return `lower(hex(randomblob(${bytes})))`;
}
