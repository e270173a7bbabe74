import type { PoolClient } from "pg";
import { Pool } from "../../../vendor/pg.ts";
import { isTooManyConnections, isNoResponse, connectError } from "./errors.ts";
import type { DatabaseAddress } from "./address.ts";

/** The connections of one store to its database. */
export interface DatabasePool {
  /** One for the caller alone, until it is given back. Throws a DatabaseTrouble. */
  acquire(): Promise<PoolClient>;
  release(client: PoolClient): void;
  /** Ends one on which `error` came, and with it what was begun there. */
  destroy(client: PoolClient, error: unknown): void;
  close(): Promise<void>;
}

// In ms. All that a request asks of the database is to fit into what its client waits.
const timeouts = {
  connectionTimeoutMillis: 3_000,
  idleTimeoutMillis: 60_000,
  query_timeout: 8_000,
};
/** Connections of one store: a server has 100 unless told otherwise, for all that use it. */
const maxPoolSize = 10;
/** How long a store makes do with the connections that it has, in ms, when the server had no more. */
const reducedPoolMs = 10_000;
/** How long the goodbyes may take, in ms, of a server that may be gone. */
const closeTimeoutMs = 2_000;

/** Connects to the database when connections are needed, and again after a failure. */
export function openDatabasePool({ url, address }: DatabaseAddress): DatabasePool {
  const pool = createPool(url);
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
        // Where one was lost, the others may be too, and nobody tells: the network dropped them all.
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

function createPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    max: maxPoolSize,
    keepAlive: true,
    application_name: "pets",
    onConnect: ensureDurable,
    ...timeouts,
  });
  // A connection that ends fails what is asked on it; unheard, the event would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

async function closePool(pool: Pool): Promise<void> {
  const timeout = AbortSignal.timeout(closeTimeoutMs);
  const expired = new Promise((resolve) => timeout.addEventListener("abort", resolve));
  await Promise.race([pool.end(), expired]);
}

/** Sees to it that a commit is on disk when it is answered, also where the server is set to answer earlier. */
async function ensureDurable(client: Pick<PoolClient, "query">): Promise<void> {
  await client.query(
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
  );
}
