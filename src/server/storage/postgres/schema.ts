import { ioFailure } from "../../../core/errors.ts";
import { noStore } from "../storage.ts";
import type { DatabaseConnection, Database } from "./database.ts";

/** The schema of our tables, separate from others in the same database. */
export const schemaName = "pets_store";

/** Migrations: the n-th migrates from version n to n + 1. */
const migrations = [
  // An animal never changes, so its finished JSON is stored. The usage of a key is in the key's
  // row, so that one lock covers both.
  `CREATE TABLE ${schemaName}.version (version int NOT NULL);
   INSERT INTO ${schemaName}.version VALUES (0);
   CREATE SEQUENCE ${schemaName}.pet_ids;
   CREATE TABLE ${schemaName}.pets (id bigint PRIMARY KEY, status text, json text NOT NULL);
   CREATE INDEX pets_by_status ON ${schemaName}.pets (status, id);
   CREATE TABLE ${schemaName}.keys (
     id text PRIMARY KEY,
     hash bytea NOT NULL,
     plan text NOT NULL,
     created_at bigint NOT NULL,
     minute_end bigint NOT NULL DEFAULT 0,
     minute_requests bigint NOT NULL DEFAULT 0,
     day_end bigint NOT NULL DEFAULT 0,
     day_requests bigint NOT NULL DEFAULT 0,
     refused_at bigint,
     refused_until bigint,
     early bigint,
     banned_until bigint,
     seen_at bigint NOT NULL DEFAULT 0
   ) WITH (fillfactor = 50);`,
  // One row: which store this is.
  `CREATE TABLE ${schemaName}.store (id text NOT NULL, page_secret text NOT NULL);
   INSERT INTO ${schemaName}.store
     VALUES (left(md5(gen_random_uuid()::text), 16), gen_random_uuid()::text || gen_random_uuid());`,
  `ALTER TABLE ${schemaName}.keys ADD COLUMN is_operator boolean NOT NULL DEFAULT false;`,
  // The usage of a key (limits.ts, Usage) as JSON.
  `ALTER TABLE ${schemaName}.keys ADD COLUMN usage text,
     DROP COLUMN minute_end, DROP COLUMN minute_requests, DROP COLUMN day_end, DROP COLUMN day_requests,
     DROP COLUMN refused_at, DROP COLUMN refused_until, DROP COLUMN early, DROP COLUMN banned_until,
     DROP COLUMN seen_at;`,
];

const latestVersion = migrations.length;
/**
 * The key of an advisory lock, the same in every store: its holder may change the schema or seed.
 */
const storeLock = 0x50455453;
/** How long another store may hold the lock, in ms. */
const storeLockTimeoutMs = 60_000;

/**
 * Migrates the schema in one transaction; if several stores start at once, one of them does it. Throws
 * an io Failure if a newer program made the schema, if it belongs to something else, or if the
 * database's encoding can't store every name.
 */
export function migrateSchema({ use, address }: Database): Promise<void> {
  return use(async (connection) => {
    const { run, runAll } = connection;
    await run("BEGIN ISOLATION LEVEL READ COMMITTED");
    await checkEncoding(connection, address);
    await lockStore(connection);
    const { version, exists } = await readState(connection, address);
    // A user for whom the schema was created may lack the right to create one.
    if (!exists) await run(`CREATE SCHEMA ${schemaName}`);
    if (version < latestVersion)
      await runAll(`${migrations.slice(version).join("\n")}
        UPDATE ${schemaName}.version SET version = ${latestVersion};`);
    await run("COMMIT");
  });
}

/** Returns which store the data is: its id, and the secret of its page. */
export async function readIdentity({ run }: Database) {
  const [row] = await run(`SELECT id, page_secret FROM ${schemaName}.store`);
  return { storeId: () => String(row?.id), pageSecret: () => String(row?.page_secret) };
}

/** Migrates the schema of an existing store. Throws an io Failure if there is none that this program knows. */
export async function migrateStore(database: Database): Promise<void> {
  const { version } = await database.use((connection) => readState(connection, database.address));
  if (version === 0) throw noStore(database.place);
  if (version < latestVersion) await migrateSchema(database);
}

/** Takes the advisory lock until the end of the transaction. */
export async function lockStore({ run }: DatabaseConnection): Promise<void> {
  const query = `SELECT pg_advisory_xact_lock(${storeLock})`;
  await run(query, [], { query_timeout: storeLockTimeoutMs });
}

/** Checks the encoding. SQL_ASCII stores bytes as they are. */
async function checkEncoding({ run }: DatabaseConnection, address: string): Promise<void> {
  const [row] = await run("SELECT current_setting('server_encoding') AS encoding");
  const encoding = String(row?.encoding);
  if (encoding === "UTF8" || encoding === "SQL_ASCII") return;
  throw ioFailure(`the database at ${address} has the encoding ${encoding}; it must be UTF8`);
}

/**
 * Returns whether the schema exists, and its version; 0 if it is empty. Throws an io Failure if a
 * newer program made it, or if it belongs to something else.
 */
async function readState({ run }: DatabaseConnection, address: string) {
  const [state] = await run(
    `SELECT to_regclass('${schemaName}.version') IS NOT NULL AS is_ours,
      to_regnamespace('${schemaName}') IS NOT NULL AS is_there,
      EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('${schemaName}')) AS is_used`,
  );
  if (state?.is_used !== true) return { exists: state?.is_there === true, version: 0 };
  const [row] =
    state.is_ours === true ? await run(`SELECT version FROM ${schemaName}.version`) : [];
  const version = Number(row?.version ?? 0);
  if (!(version > 0))
    throw ioFailure(
      `the schema ${schemaName} of the database at ${address} is not a pets schema; it was not modified`,
    );
  if (version > latestVersion)
    throw ioFailure(
      `the database at ${address} was created by a newer pets: this pets supports schemas up to ${latestVersion}, and it has ${version}`,
    );
  return { exists: true, version };
}
