import { setTimeout as delay } from "node:timers/promises";
import type { Client, PoolClient, QueryResult } from "pg";
import { errorMessage, ioFailure, usageFailure } from "../../../core/errors.ts";
import { StorageError, type StorageProblem } from "../storage.ts";
import type { DatabaseRow, Run } from "../tables.ts";
import { shareConnections } from "./connections.ts";

/** One connection to the server, for the duration of a piece of work. */
export type DatabaseConnection = ReturnType<typeof connectionOn>;

/** A database on a server. What it does throws a StorageError. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Returns the error for a database that cannot be used, shown as `place`; `ifLost` is the problem if it did not answer. */
function databaseError(place: string, cause: unknown, ifLost: StorageProblem): StorageError {
  const problem = problemOf(sqlState(cause)) ?? ifLost;
  // A host name with several addresses gives an AggregateError without a message.
  const reasons = cause instanceof AggregateError ? cause.errors : [cause];
  const why = reasons.map(errorMessage).join("; ");
  const maybeDone = problem === "unanswered" ? "; the change may have been made" : "";
  const message = `the database ${place} cannot be used: ${why}${maybeDone}`;
  const hints = startHints.filter(([part]) => message.includes(part)).map(([, hint]) => hint);
  return new StorageError(message, problem, cause, [...hints, ...grantHints(message)]);
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: transaction rollback, insufficient
// resources, operator intervention (so time-outs), object in use; read-only (a standby, after a switch).
// 57P05 and 25P03 end a connection that had been idle: what was sent meanwhile was not executed.
const transientSqlStates = /^(?:40|53|57014|57P0[35]|25P03|55006|55P03|25006)/;
// The server closed the connection or fails: connection exception, shutdown or crash, time-out of the
// transaction, system error, internal error; poolers use them too. The statement may have been executed before that.
const lostSqlStates = /^(?:08|57P|25P04|58|XX)/;

/** Returns undefined if it is unknown how far the server came. */
function problemOf(code: string | undefined): StorageProblem | undefined {
  if (code === undefined) return undefined;
  if (transientSqlStates.test(code)) return "unavailable";
  return lostSqlStates.test(code) ? undefined : "refused";
}

/** Returns undefined for an error that the server did not send. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return undefined;
  return String(error.code);
}

/** For a server that can't be reached. */
const closeTimeoutMs = 2_000;
const connectTimeoutMs = 3_000;
/** How long a statement may take; the server ends it before the client stops waiting, so that nothing is done later. */
const statementMs = { onServer: 5_000, onClient: 8_000 };

/** Limits each statement and lock of a transaction, in ms: the settings of a session are lost behind a pooler, or leak to others. */
export const timeLimits = (ms = statementMs.onServer): string =>
  `SET LOCAL statement_timeout = ${ms}; SET LOCAL lock_timeout = ${ms - 1_000};`;

/** Makes the commit of a transaction durable before it returns, even if the server's default is different. */
export const makeDurable =
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';";

/** Connects when needed, `maxConnections` times at most. Throws a usage Failure for an invalid URL, and an io Failure for a file in it. */
export async function openDatabase(url: string, maxConnections = 10) {
  const pg = await import("pg");
  const place = placeOf(url, pg.Client);
  const probe = { text: "SELECT 1", query_timeout: connectTimeoutMs };
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    keepAlive: true,
    application_name: "pets",
    // A pooler may accept a connection, and let its first statement wait.
    onConnect: async (client) => void (await client.query(probe)),
    // The sum of these must fit into a client's time-out.
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementMs.onClient,
  });
  const connections = shareConnections(pool, maxConnections);
  /** Runs `work` with a connection; if it throws, the connection is closed, which rolls back. */
  const use = async <T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T> => {
    const client = await connections.take().catch((error: unknown) => {
      throw databaseError(place, error, "unavailable");
    });
    try {
      const result = await work(connectionOn(client, place, pg.escapeLiteral));
      connections.release(client);
      return result;
    } catch (error) {
      connections.release(client, true);
      // A network that dropped one of its connections may have dropped all, without any notice.
      if (error instanceof StorageError && sqlState(error.cause) === undefined)
        connections.dropIdle();
      throw error;
    }
  };
  /** Runs one statement as a transaction, in one round trip; one that begins with SELECT only reads. */
  const run: Run = (text, values) =>
    use(async ({ runAll }) => {
      const isRead = text.startsWith("SELECT");
      // Several statements are one transaction, which is committed after the last one.
      const results = isRead
        ? await runAll(timeLimits() + text, { values })
        : await runAll(timeLimits() + makeDurable + text, { values, ifLost: "unanswered" });
      return results.at(-1) ?? [];
    });
  const close = async (): Promise<void> =>
    Promise.race([connections.end(), delay(closeTimeoutMs, undefined, { ref: false })]);
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

interface RunOptions {
  /** Of `$1`, `$2` and so on. */
  readonly values?: Parameters<Run>[1];
  /** The problem if the connection is lost meanwhile: `unanswered` for what commits. */
  readonly ifLost?: StorageProblem;
  /** In ms, if not the usual time. */
  readonly query_timeout?: number;
}

/** Values become literals: so several statements, with their settings, need one round trip, and no pooler loses any. */
function connectionOn(client: PoolClient, place: string, quote: (text: string) => string) {
  const literal = (value: string | number | Uint8Array = ""): string =>
    quote(value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : String(value));
  /** Runs statements in one round trip; returns the rows of each. */
  const runAll = async (
    statements: string,
    { values = [], ifLost = "unavailable", ...options }: RunOptions = {},
  ) => {
    const text = statements.replaceAll(/\$(\d+)/g, (_all, n) => literal(values[Number(n) - 1]));
    try {
      // pg's types know only one result, but it returns one for each statement.
      const results: readonly QueryResult<DatabaseRow>[] = [
        await client.query({ text, ...options }),
      ].flat();
      return results.map(({ rows }) => rows);
    } catch (error) {
      throw databaseError(place, error, ifLost);
    }
  };
  /** Runs one statement of a transaction, and returns its rows. */
  const run: Run = async (text, values = []) => (await runAll(text, { values }))[0] ?? [];
  return { run, runAll };
}

const startHints = [
  ["client password must be a", "Set PGPASSWORD in the environment."],
  [
    "certificate",
    "Add sslrootcert=FILE to the URL to trust its authority, or sslmode=no-verify to trust any.",
  ],
  [
    "statement pooling mode",
    "Set pool_mode = transaction (or session) for it in the configuration of PgBouncer.",
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
