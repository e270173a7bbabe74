import type { PoolClient, QueryConfig } from "pg";
import { Result } from "../../../vendor/pg.ts";
import { isNotPrepared, toDatabaseError } from "./errors.ts";
import { openDatabasePool } from "./pool.ts";
import type { DatabaseAddress } from "./address.ts";

/** A statement, and what may be said of it. */
export interface Statement {
  /** With a name, the server prepares it once a connection, where it is run by itself. */
  readonly name?: string;
  readonly text: string;
  /** How long it may take, in ms, where that is longer than usual. */
  readonly query_timeout?: number;
}

/** A row, as pg has it: int8 as text. */
export type DatabaseRow = Readonly<Record<string, unknown>>;

/** One connection to the server, for as long as a piece of work takes. */
export interface DatabaseConnection {
  /** Runs one statement and answers its rows. */
  run(statement: Statement, values?: readonly unknown[]): Promise<readonly DatabaseRow[]>;
  /** Runs several statements without parameters in one round trip; answers the rows of each. */
  runAll(text: string): Promise<readonly (readonly DatabaseRow[])[]>;
}

/** A database on a server. What is asked of it throws a DatabaseTrouble. */
export interface Database {
  readonly place: string;
  readonly address: string;
  run: DatabaseConnection["run"];
  /** Gives `work` a connection; where it throws, the connection is dropped, and with it what was begun. */
  use<T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The database at a URL; connections are made when they are needed, and again after a failure. */
export function openDatabase(where: DatabaseAddress): Database {
  const { place, address } = where;
  const connections = openDatabasePool(where);
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
 * Runs statements by their names, until it shows that someone between shares the server's connections
 * out anew for each (PgBouncer's transaction pooling): what was prepared on one is not on the next.
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
    runAll: async (text) => {
      // The types know of one result; several statements have one each.
      const results = await query(client, address, { text });
      return Array.isArray(results) ? results.map(rowsOf) : [rowsOf(results)];
    },
  };
}

function query(client: PoolClient, address: string, config: QueryConfig): Promise<unknown> {
  return client.query<DatabaseRow>(config).catch((error: unknown) => {
    throw toDatabaseError(error, address);
  });
}

function rowsOf(result: unknown): readonly DatabaseRow[] {
  return result instanceof Result ? result.rows : [];
}
