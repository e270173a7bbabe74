import { ioFailure } from "../../../core/errors.ts";
import { noStore } from "../storage.ts";
import { type Database, type DatabaseConnection, makeDurable, timeLimits } from "./database.ts";

const schema = "pets_store";
/** What goes before the name of a table. */
export const prefix = `${schema}.`;

const schemaVersion = 5;

/** An animal's finished JSON is stored. A key's usage (limits.ts, as JSON) is in its row, so that one lock covers both. */
const tables = `CREATE TABLE ${prefix}version (version int NOT NULL);
   INSERT INTO ${prefix}version VALUES (${schemaVersion});
   CREATE SEQUENCE ${prefix}pet_ids;
   CREATE TABLE ${prefix}pets (id bigint PRIMARY KEY, status text, json text NOT NULL);
   CREATE INDEX pets_by_status ON ${prefix}pets (status, id);
   CREATE TABLE ${prefix}keys (
     id text PRIMARY KEY,
     hash bytea NOT NULL,
     plan text NOT NULL,
     is_operator boolean NOT NULL,
     created_at bigint NOT NULL,
     usage text
   ) WITH (fillfactor = 50);
   CREATE TABLE ${prefix}store (id text NOT NULL, page_secret text NOT NULL);
   INSERT INTO ${prefix}store
     VALUES (left(md5(gen_random_uuid()::text), 16), gen_random_uuid()::text || gen_random_uuid());`;

/** The key of an advisory lock, the same in every store: its holder may change the schema or seed. */
const storeLock = 0x50455453;
const storeLockTimeoutMs = 60_000;

/** Runs `work` in a transaction that holds the lock. */
export function whileLocked<T>(
  { use }: Database,
  work: (connection: DatabaseConnection) => Promise<T>,
): Promise<T> {
  const patience = { query_timeout: storeLockTimeoutMs + 5_000 };
  return use(async (connection) => {
    await connection.runAll(
      `BEGIN ISOLATION LEVEL READ COMMITTED; ${timeLimits(storeLockTimeoutMs)}
       SELECT pg_advisory_xact_lock(${storeLock}); ${timeLimits()}`,
      patience,
    );
    const result = await work(connection);
    // A commit that was cancelled while it waits for a standby would look like one that is safe.
    const commit = `${makeDurable} SET LOCAL statement_timeout = 0; COMMIT`;
    await connection.runAll(commit, { ...patience, ifLost: "unanswered" });
    return result;
  });
}

/** Creates the schema if there is none; of several stores that start at once, one does it. Throws an io Failure. */
export function createSchema(database: Database, mayCreate: boolean): Promise<void> {
  return whileLocked(database, async (connection) => {
    const { version, exists } = await readState(connection, database.place);
    if (version === 0 && !mayCreate) throw noStore(database.place);
    // A user for whom the schema was created may lack the right to create one.
    if (!exists) await connection.run(`CREATE SCHEMA ${schema}`);
    if (version === 0) await connection.runAll(tables);
  });
}

/** Returns whether the schema exists, and its version; 0 if it is empty. Throws an io Failure like `createSchema`. */
async function readState({ run }: DatabaseConnection, place: string) {
  const [state] = await run(
    `SELECT current_setting('server_encoding') AS encoding,
      to_regclass('${prefix}version') IS NOT NULL AS is_ours,
      to_regnamespace('${schema}') IS NOT NULL AS is_there,
      EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('${schema}')) AS is_used`,
  );
  const encoding = String(state?.encoding);
  // SQL_ASCII stores bytes as they are.
  if (encoding !== "UTF8" && encoding !== "SQL_ASCII")
    throw ioFailure(`the database ${place} has the encoding ${encoding}; it must be UTF8`);
  const exists = state?.is_there === true;
  if (state?.is_used !== true) return { exists, version: 0 };
  const [row] = state.is_ours ? await run(`SELECT version FROM ${prefix}version`) : [];
  const version = Number(row?.version ?? 0);
  if (!(version > 0))
    throw ioFailure(
      `the schema ${schema} of the database ${place} is not a pets schema; it was not modified`,
    );
  if (version === schemaVersion) return { exists, version };
  throw ioFailure(
    `the database ${place} was created by ${version > schemaVersion ? "a newer" : "an older"} pets: this pets supports schema ${schemaVersion}, and it has ${version}`,
  );
}
