import type { PoolClient, QueryConfig } from "pg";
import { Pool, Result } from "../vendor/pg.ts";
import { notReached, troubleOf } from "./database-trouble.ts";
import type { DatabaseAddress } from "./postgres-url.ts";

/** A statement; with a name, the server prepares it once a connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** How long it may take, in ms, where that is longer than usual. */
  readonly query_timeout?: number;
}

/** A row, as pg has it: int8 as text. */
export type Row = Readonly<Record<string, unknown>>;

/** One connection to the server, for as long as a piece of work takes. */
export interface Connection {
  /** Runs one statement and answers its rows. */
  run(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs several statements without parameters in one round trip; answers the rows of each. */
  runAll(text: string): Promise<readonly (readonly Row[])[]>;
}

/** A database on a server. What is asked of it throws a DatabaseTrouble. */
export interface Database {
  readonly place: string;
  readonly address: string;
  run: Connection["run"];
  /** Gives `work` a connection; where it throws, the connection is dropped, and with it what was begun. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

// In ms. All that a request asks of the database is to fit into what its client waits.
const times = {
  connectionTimeoutMillis: 3_000,
  idleTimeoutMillis: 60_000,
  query_timeout: 8_000,
};
/** Connections of one store: a server has 100 unless told otherwise, for all that use it. */
const mostConnections = 10;
/** How long the goodbyes may take, in ms, of a server that may be gone. */
const farewell = 2_000;

/** The database at `where`; connections are made when they are needed, and again after a failure. */
export function openDatabase({ url, place, address }: DatabaseAddress): Database {
  const pool = new Pool({
    connectionString: url,
    max: mostConnections,
    keepAlive: true,
    application_name: "pets",
    onConnect: ensureDurable,
    ...times,
  });
  // A connection that ends fails what is asked on it; unheard, the event would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  const use: Database["use"] = async (work) => {
    const client = await pool.connect().catch((error: unknown) => {
      throw notReached(error, address);
    });
    let isSound = false;
    try {
      const result = await work(connectionOn(client, address));
      isSound = true;
      return result;
    } finally {
      client.release(!isSound);
    }
  };
  return {
    place,
    address,
    use,
    run: (statement, values) => use((connection) => connection.run(statement, values)),
    close: async () => {
      const timeout = AbortSignal.timeout(farewell);
      const expired = new Promise((resolve) => timeout.addEventListener("abort", resolve));
      await Promise.race([pool.end(), expired]);
    },
  };
}

/** Sees to it that a commit is on disk when it is answered, also where the server is set to answer earlier. */
async function ensureDurable(client: Pick<PoolClient, "query">): Promise<void> {
  await client.query(
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
  );
}

function connectionOn(client: PoolClient, address: string): Connection {
  const ask = (config: QueryConfig): Promise<unknown> =>
    client.query<Row>(config).catch((error: unknown) => {
      throw troubleOf(error, address);
    });
  return {
    run: async (statement, values = []) => rowsOf(await ask({ ...statement, values: [...values] })),
    runAll: async (text) => {
      // The types know of one result; several statements have one each.
      const results = await ask({ text });
      return Array.isArray(results) ? results.map(rowsOf) : [rowsOf(results)];
    },
  };
}

function rowsOf(result: unknown): readonly Row[] {
  return result instanceof Result ? result.rows : [];
}
