import { setTimeout as delay } from "node:timers/promises";
import type { Client, Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { errorMessage, ioFailure, usageFailure } from "../../../core/errors.ts";
import { StorageError, type StorageProblem } from "../storage.ts";
import type { DatabaseRow } from "../tables.ts";

/** One connection to the server, for the duration of a piece of work. */
export type DatabaseConnection = ReturnType<typeof connectionOn>;

/** A database on a server. What it does throws a StorageError. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Returns the error for a database that cannot be used, shown as `place`. */
function databaseError(
  place: string,
  cause: unknown,
  problem = problemOf(sqlState(cause)),
): StorageError {
  // A host name with several addresses gives an AggregateError without a message.
  const reasons = cause instanceof AggregateError ? cause.errors : [cause];
  const message = `the database ${place} cannot be used: ${reasons.map(errorMessage).join("; ")}`;
  const hints = startHints.filter(([part]) => message.includes(part)).map(([, hint]) => hint);
  return new StorageError(message, problem, cause, [...hints, ...grantHints(message)]);
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: transaction rollback, insufficient
// resources, operator intervention, object in use; read-only (a standby, after a switch).
const transientSqlStates = /^(?:40|53|57|55006|55P03|25006)/;
// The server closed the connection or fails: connection exception, shutdown or crash, session
// time-outs, system error, internal error. The statement may have been executed before that.
const unansweredSqlStates = /^(?:08|57P0[1-5]|25P0[34]|58|XX)/;
const tooManyConnections = "53300";

function problemOf(code: string | undefined): StorageProblem {
  if (code === undefined || unansweredSqlStates.test(code)) return "unanswered";
  return transientSqlStates.test(code) ? "unavailable" : "refused";
}

/** Returns undefined for an error that the server did not send. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return undefined;
  return String(error.code);
}

/** Of one store: a server allows 100 by default, for all its users. */
const maxConnections = 10;
/** How long a store opens no further connections after the server had none left. */
const reducedPoolMs = 10_000;
/** For a server that can't be reached. */
const closeTimeoutMs = 2_000;

/** Makes commits durable before they return, even if the server's default is different. */
const makeDurable =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/** Connects when needed. Throws a usage Failure for an invalid URL, and an io Failure for a file in it. */
export async function openDatabase(url: string) {
  const pg = await import("pg");
  const place = placeOf(url, pg.Client);
  const createPool = (): Pool => {
    const made = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      keepAlive: true,
      application_name: "pets",
      onConnect: async (client) => void (await client.query(makeDurable)),
      idleTimeoutMillis: 60_000,
      // The sum of these must fit into a client's time-out.
      connectionTimeoutMillis: 3_000,
      query_timeout: 8_000,
    });
    // The error of a connection rejects its query; as an unhandled event it would end the process.
    made.on("error", () => {});
    made.on("connect", (client) => void client.on("error", () => {}));
    return made;
  };
  let pool = createPool();
  const connect = async (from: Pool): Promise<PoolClient> => {
    try {
      return await from.connect();
    } catch (error) {
      if (sqlState(error) !== tooManyConnections || from.totalCount === 0)
        throw databaseError(place, error, "unavailable");
    }
    // Makes do with those that it has.
    from.options.max = from.totalCount;
    setTimeout(() => (from.options.max = maxConnections), reducedPoolMs).unref();
    return connect(from);
  };
  /** Runs `work` with a connection; if it throws, the connection is closed, which rolls back. */
  const use = async <T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T> => {
    const from = pool;
    const client = await connect(from);
    try {
      const result = await work(connectionOn(client, place));
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      const isLost = error instanceof StorageError && error.problem === "unanswered";
      if (isLost && from === pool) {
        // A network that dropped one of its connections may have dropped all, without any notice.
        pool = createPool();
        void from.end().catch(() => {});
      }
      throw error;
    }
  };
  const run: DatabaseConnection["run"] = (text, values) => use((one) => one.run(text, values));
  const close = async (): Promise<void> =>
    Promise.race([pool.end(), delay(closeTimeoutMs, undefined, { ref: false })]);
  return { place, use, run, close };
}

/** Returns the URL without the password and the options, with what pg adds. */
function placeOf(url: string, PgClient: typeof Client): string {
  const { host, port, user, database } = readUrl(url, PgClient);
  const login = user === undefined ? "" : `${encodeURIComponent(user)}@`;
  const end = `/${encodeURIComponent(database ?? "")}`;
  if (host.startsWith("/")) return `postgres://${login}${end}?host=${encodeURI(host)}&port=${port}`;
  return `postgres://${login}${host.includes(":") ? `[${host}]` : host}:${port}${end}`;
}

/** Reads a URL as pg does. No error shows it: a password may be in it. */
function readUrl(connectionString: string, PgClient: typeof Client): Client {
  try {
    return new PgClient({ connectionString });
  } catch (error) {
    if (error instanceof Error && "syscall" in error && "path" in error)
      throw ioFailure(
        `the file ${JSON.stringify(error.path)} that --data names cannot be read`,
        error,
      );
    throw usageFailure(
      "the URL of --data is not valid; write it as in postgres://user@host:5432/database",
    );
  }
}

/** No statement is prepared by name: a proxy may share the server's connections (PgBouncer's transaction pooling). */
function connectionOn(client: PoolClient, place: string) {
  /** Runs statements, which without parameters may be several, in one round trip; returns the rows of each. */
  const runAll = async (config: string | QueryConfig) => {
    try {
      // pg's types know only one result, but it returns one for each statement.
      const results: readonly QueryResult<DatabaseRow>[] = [await client.query(config)].flat();
      return results.map(({ rows }) => rows);
    } catch (error) {
      throw databaseError(place, error);
    }
  };
  return {
    runAll,
    /** Runs one statement, which may take `query_timeout` ms if not the usual time, and returns its rows. */
    run: async (
      text: string,
      values: readonly unknown[] = [],
      options?: { readonly query_timeout: number },
    ): Promise<readonly DatabaseRow[]> => {
      const [rows = []] = await runAll({ text, values: [...values], ...options });
      return rows;
    },
  };
}

const startHints = [
  ["client password must be a", "Set PGPASSWORD in the environment."],
  [
    "certificate",
    "Add sslrootcert=FILE to the URL to trust its authority, or sslmode=no-verify to trust any.",
  ],
] as const;

/** What a store needs of each kind of thing on which PostgreSQL can give rights. */
const neededRights: Readonly<Record<string, string>> = {
  database: "CREATE ON DATABASE",
  schema: "USAGE, CREATE ON SCHEMA",
  table: "ALL ON TABLE",
  sequence: "ALL ON SEQUENCE",
};

/** Returns the statement that gives the store's role a right that it lacks. */
function grantHints(message: string): readonly string[] {
  const [, kind = "", name = ""] = /permission denied for (\w+) (.+)$/.exec(message) ?? [];
  const [, role] = /postgres:\/\/([^@/]+)@/.exec(message) ?? [];
  const rights = neededRights[kind];
  if (rights === undefined || role === undefined) return [];
  // Quoted only where PostgreSQL would read another name.
  const [what, whom] = [name, decodeURIComponent(role)].map((each) =>
    /^[a-z_][a-z0-9_]*$/.test(each) ? each : `"${each}"`,
  );
  return [`Have the owner of the database run \`GRANT ${rights} ${what} TO ${whom};\`.`];
}
