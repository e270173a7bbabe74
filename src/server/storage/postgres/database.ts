import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { isNotPrepared, toDatabaseError } from "./errors.ts";
import { openDatabasePool } from "./pool.ts";
import type { DatabaseAddress, Pg } from "./address.ts";

/** A statement and its options. */
export interface Statement {
  /** With a name, the server prepares it once per connection, if it runs outside of a transaction. */
  readonly name?: string;
  readonly text: string;
  /** How long it may take, in ms, if not the usual time. */
  readonly query_timeout?: number;
}

/** A row, as pg returns it: int8 as text. */
export type DatabaseRow = Readonly<Record<string, unknown>>;

/** One connection to the server, for the duration of a piece of work. */
export interface DatabaseConnection {
  /** Runs one statement and returns its rows. */
  run(statement: Statement, values?: readonly unknown[]): Promise<readonly DatabaseRow[]>;
  /** Runs several statements without parameters in one round trip; returns the rows of each. */
  runAll(text: string): Promise<readonly (readonly DatabaseRow[])[]>;
}

/** A database on a server. Its methods throw a DatabaseError. */
export interface Database {
  readonly place: string;
  readonly address: string;
  run: DatabaseConnection["run"];
  /** Runs `work` with a connection; if it throws, the connection is closed, which rolls back. */
  use<T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Returns the database at a URL; it connects when needed, and reconnects after a failure. */
export function openDatabase(pg: Pg, where: DatabaseAddress): Database {
  const { place, address } = where;
  const connections = openDatabasePool(pg, where);
  const withClient = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await connections.acquire();
    try {
      const result = await work(client);
      connections.release(client);
      return result;
    } catch (error) {
      connections.destroy(client, error);
      throw error;
    }
  };
  const runNamed = preparedStatements(address);
  return {
    place,
    address,
    use: (work) => withClient((client) => work(connectionOn(client, address))),
    run: (statement, values = []) => withClient((client) => runNamed(client, statement, values)),
    close: () => connections.close(),
  };
}

/**
 * Runs prepared statements, until it turns out that a proxy shares the server's connections (PgBouncer's
 * transaction pooling): a statement prepared on one is missing on the next.
 */
function preparedStatements(address: string) {
  let isShared = false;
  return async (
    client: PoolClient,
    { name, ...statement }: Statement,
    values: readonly unknown[],
  ): Promise<readonly DatabaseRow[]> => {
    if (name !== undefined && !isShared) {
      try {
        return rowsOf(await query(client, address, { ...statement, name, values: [...values] }));
      } catch (error) {
        if (!isNotPrepared(error)) throw error;
        isShared = true;
      }
    }
    return rowsOf(await query(client, address, { ...statement, values: [...values] }));
  };
}

function connectionOn(client: PoolClient, address: string): DatabaseConnection {
  return {
    run: async ({ name: _unused, ...statement }, values = []) =>
      rowsOf(await query(client, address, { ...statement, values: [...values] })),
    runAll: async (text) => (await query(client, address, { text })).map(({ rows }) => rows),
  };
}

/** Runs `config`; returns a result for each statement, though pg's types know only one. */
async function query(
  client: PoolClient,
  address: string,
  config: QueryConfig,
): Promise<readonly QueryResult<DatabaseRow>[]> {
  try {
    return [await client.query<DatabaseRow>(config)].flat();
  } catch (error) {
    throw toDatabaseError(error, address);
  }
}

function rowsOf([result]: readonly QueryResult<DatabaseRow>[]): readonly DatabaseRow[] {
  return result?.rows ?? [];
}
