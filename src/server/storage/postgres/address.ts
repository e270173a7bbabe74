import type { Client } from "pg";
import { ioFailure, usageFailure } from "../../../core/errors.ts";

/** The package `pg`, loaded only if a store uses PostgreSQL. */
export type Pg = typeof import("../../../vendor/pg.ts");

/** The address of a database, and the parts of its URL that may be shown: nothing secret. */
export interface DatabaseAddress {
  readonly url: string;
  /** The URL without the password and the options, shown as the store's `data`. */
  readonly place: string;
  /** Host and port, or the socket's folder: for messages. */
  readonly address: string;
}

/**
 * Reads a `postgres://` URL as pg does. Throws a usage Failure for an invalid one, and an io Failure
 * if a file that it names can't be read. Neither shows the URL: a password may be in it.
 */
export function readDatabaseUrl(pg: Pg, url: string): DatabaseAddress {
  const { host, port, user, database } = connectionParameters(pg, url);
  if (!(port > 0 && port <= 65_535))
    throw usageFailure("the port in the URL of --data must be a whole number from 1 to 65535");
  const login = user === undefined ? "" : `${encodeURIComponent(user)}@`;
  const end = `/${encodeURIComponent(database ?? "")}`;
  if (host.startsWith("/")) {
    const place = `postgres://${login}${end}?host=${encodeURI(host)}&port=${port}`;
    return { url, place, address: `${host}, port ${port}` };
  }
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { url, place: `postgres://${login}${address}${end}`, address };
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
