import { setTimeout as delay } from "node:timers/promises";
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import type { DatabaseAddress, Pg } from "./address.ts";
import { connectError, isNoResponse, isTooManyConnections, toDatabaseError } from "./errors.ts";

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

/** A database on a server. Its methods throw a DatabaseError. */
export interface Database extends Pick<DatabaseAddress, "place" | "address"> {
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

/** Returns the database at a URL; it connects when needed, and reconnects after a failure. */
export function openDatabase(pg: Pg, { url, place, address }: DatabaseAddress): Database {
  const pool = createPool(pg, url);
  const lastUsedAt = new WeakMap<PoolClient, number>();
  let lostAt = -Infinity;
  let tooManyAt = -Infinity;
  const connect = async (): Promise<PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isTooManyConnections(error) || pool.totalCount === 0) throw connectError(error, address);
    }
    tooManyAt = performance.now();
    pool.options.max = pool.totalCount;
    return connect();
  };
  const acquire = async (): Promise<PoolClient> => {
    if (performance.now() - tooManyAt > reducedPoolMs) pool.options.max = maxPoolSize;
    for (;;) {
      const client = await connect();
      // If one connection was lost, the idle ones may be too: a network may drop them without
      // any notice.
      if ((lastUsedAt.get(client) ?? Infinity) > lostAt) return client;
      client.release(true);
    }
  };
  const use: Database["use"] = async (work) => {
    const client = await acquire();
    try {
      const result = await work(connectionOn(client, address));
      lastUsedAt.set(client, performance.now());
      client.release();
      return result;
    } catch (error) {
      if (isNoResponse(error)) lostAt = performance.now();
      client.release(true);
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
