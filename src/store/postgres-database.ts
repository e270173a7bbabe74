import type { PoolClient, QueryConfig } from "pg";
import { Result } from "../vendor/pg.ts";
import { troubleOf } from "./database-trouble.ts";
import { openConnections } from "./postgres-pool.ts";
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

/** The database at a URL; connections are made when they are needed, and again after a failure. */
export function openDatabase(where: DatabaseAddress): Database {
  const { place, address } = where;
  const connections = openConnections(where);
  const use: Database["use"] = async (work) => {
    const client = await connections.take();
    try {
      const result = await work(connectionOn(client, address));
      connections.giveBack(client);
      return result;
    } catch (error) {
      connections.drop(client, error);
      throw error;
    }
  };
  return {
    place,
    address,
    use,
    run: (statement, values) => use((connection) => connection.run(statement, values)),
    close: () => connections.close(),
  };
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
