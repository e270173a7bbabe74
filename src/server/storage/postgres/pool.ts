import type { Pool, PoolClient } from "pg";
import { isTooManyConnections, isNoResponse, connectError } from "./errors.ts";
import type { DatabaseAddress, Pg } from "./address.ts";

/** The connections of one store to its database. */
export interface DatabasePool {
  /** Returns a connection for exclusive use until it is released. Throws a DatabaseError. */
  acquire(): Promise<PoolClient>;
  release(client: PoolClient): void;
  /** Closes a connection after `error`, which rolls back. */
  destroy(client: PoolClient, error: unknown): void;
  close(): Promise<void>;
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

/** Returns a pool that connects when needed, and reconnects after a failure. */
export function openDatabasePool(pg: Pg, { url, address }: DatabaseAddress): DatabasePool {
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
  return {
    acquire: async () => {
      if (performance.now() - tooManyAt > reducedPoolMs) pool.options.max = maxPoolSize;
      for (;;) {
        const client = await connect();
        // If one connection was lost, the idle ones may be too: a network may drop them without
        // any notice.
        if ((lastUsedAt.get(client) ?? Infinity) > lostAt) return client;
        client.release(true);
      }
    },
    release: (client) => {
      lastUsedAt.set(client, performance.now());
      client.release();
    },
    destroy: (client, error) => {
      if (isNoResponse(error)) lostAt = performance.now();
      client.release(true);
    },
    close: () => closePool(pool),
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

async function closePool(pool: Pool): Promise<void> {
  const timeout = AbortSignal.timeout(closeTimeoutMs);
  const expired = new Promise((resolve) => timeout.addEventListener("abort", resolve));
  await Promise.race([pool.end(), expired]);
}

/** Makes commits durable before they return, even if the server's default is different. */
async function ensureDurable(client: Pick<PoolClient, "query">): Promise<void> {
  await client.query(
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
  );
}
