import { setTimeout as delay } from "node:timers/promises";
import type { Client, Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { ioFailure, usageFailure } from "../../../core/errors.ts";
import {
  connectError,
  DatabaseUnavailable,
  isTooManyConnections,
  toDatabaseError,
} from "./errors.ts";

/** The package `pg`, loaded only if a store uses PostgreSQL. */
type Pg = Pick<typeof import("pg"), "Client" | "Pool">;

/** A row, as pg returns it: int8 as text. */
type DatabaseRow = Readonly<Record<string, unknown>>;

/** One connection to the server, for the duration of a piece of work. */
export interface DatabaseConnection {
  /** Runs one statement, which may take `query_timeout` ms if not the usual time, and returns its rows. */
  readonly run: (
    text: string,
    values?: readonly unknown[],
    options?: { readonly query_timeout?: number },
  ) => Promise<readonly DatabaseRow[]>;
  /** Runs several statements without parameters in one round trip; returns the rows of each. */
  readonly runAll: (text: string) => Promise<readonly (readonly DatabaseRow[])[]>;
}

/** A database on a server. Its methods throw a DatabaseUnavailable or a DatabaseRefusal. */
export interface Database {
  /** The URL without the password and the options, shown as the store's `data`. */
  readonly place: string;
  /** Host and port, or the socket's directory: for messages. */
  readonly address: string;
  readonly run: DatabaseConnection["run"];
  /** Runs `work` with a connection; if it throws, the connection is closed, which rolls back. */
  readonly use: <T>(work: (connection: DatabaseConnection) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

// In ms. Their sum must fit into a client's time-out.
const timeouts = {
  connectionTimeoutMillis: 3_000,
  idleTimeoutMillis: 60_000,
  query_timeout: 8_000,
};
/** The maximum number of connections of one store: a server allows 100 by default, for all its users. */
const maxPoolSize = 10;
/** How long a store opens no further connections, in ms, after the server had none left. */
const reducedPoolMs = 10_000;
/** How long closing may take, in ms, if the server can't be reached. */
const closeTimeoutMs = 2_000;

/**
 * Returns the database at a `postgres://` URL; it connects when needed, and reconnects after a failure. Throws a usage
 * Failure for an invalid URL, and an io Failure if a file that it names can't be read.
 */
export function openDatabase(pg: Pg, url: string): Database {
  const { place, address } = readUrl(pg, url);
  let pool = createPool(pg, url);
  let isReducedUntil = -Infinity;
  const connect = async (): Promise<PoolClient> => {
    if (performance.now() > isReducedUntil) pool.options.max = maxPoolSize;
    try {
      return await pool.connect();
    } catch (error) {
      if (!isTooManyConnections(error) || pool.totalCount === 0) throw connectError(error, address);
    }
    // Makes do with those that it has.
    isReducedUntil = performance.now() + reducedPoolMs;
    pool.options.max = pool.totalCount;
    return connect();
  };
  /** Leaves the pool `lost`: if one of its connections was lost, a network may have dropped all, without any notice. */
  const renew = (lost: Pool): void => {
    if (lost !== pool) return;
    pool = createPool(pg, url);
    void lost.end().catch(() => {});
  };
  const use: Database["use"] = async (work) => {
    const from = pool;
    const client = await connect();
    try {
      const result = await work(connectionOn(client, address));
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      if (error instanceof DatabaseUnavailable && error.isUnanswered) renew(from);
      throw error;
    }
  };
  return {
    place,
    address,
    use,
    run: (text, values) => use((connection) => connection.run(text, values)),
    close: async () => {
      await Promise.race([pool.end(), delay(closeTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** Returns what of a URL may be shown, read as pg does. No error shows the URL: a password may be in it. */
function readUrl(pg: Pg, url: string) {
  const { host, port, user, database } = connectionParameters(pg, url);
  const login = user === undefined ? "" : `${encodeURIComponent(user)}@`;
  const end = `/${encodeURIComponent(database ?? "")}`;
  if (host.startsWith("/")) {
    const place = `postgres://${login}${end}?host=${encodeURI(host)}&port=${port}`;
    return { place, address: `${host}, port ${port}` };
  }
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { place: `postgres://${login}${address}${end}`, address };
}

function connectionParameters({ Client }: Pg, url: string): Client {
  try {
    return new Client({ connectionString: url });
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

function createPool(pg: Pg, connectionString: string): Pool {
  const pool = new pg.Pool({
    connectionString,
    max: maxPoolSize,
    keepAlive: true,
    application_name: "pets",
    onConnect: ensureDurable,
    ...timeouts,
  });
  // The error of a connection rejects its query; as an unhandled event it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

/** Makes commits durable before they return, even if the server's default is different. */
async function ensureDurable(client: Pick<PoolClient, "query">): Promise<void> {
  await client.query(
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
  );
}

/** No statement is prepared by name: a proxy may share the server's connections (PgBouncer's transaction pooling). */
function connectionOn(client: PoolClient, address: string): DatabaseConnection {
  /** pg's types know only one result, but it returns one for each statement. */
  const query = async (config: QueryConfig): Promise<readonly QueryResult[]> => {
    try {
      return [await client.query(config)].flat();
    } catch (error) {
      throw toDatabaseError(error, address);
    }
  };
  return {
    run: async (text, values = [], options = {}) => {
      const [result] = await query({ text, values: [...values], ...options });
      return result?.rows ?? [];
    },
    runAll: async (text) => (await query({ text })).map(({ rows }) => rows),
  };
}
