import { ioFailure, usageFailure } from "../../../core/errors.ts";
import { Client } from "../../../vendor/pg.ts";
import type { KeyRecord } from "../../keys.ts";
import type { KeyData, StoreData } from "../open.ts";
import { type Database, openDatabase } from "./database.ts";
import { failureOf } from "./errors.ts";
import { postgresKeys } from "./keys.ts";
import { postgresLimits } from "./limits.ts";
import { postgresPets } from "./pets.ts";
import { checkStore, migrate } from "./schema.ts";

/**
 * All that a store keeps, in the PostgreSQL database of a `postgres://` URL, which other stores may
 * use at the same time. `now` is the store's clock, in ms since the epoch. Throws a usage Failure
 * for a URL that is none, and an io Failure that names the server.
 */
export async function postgresData(url: string, now: () => number): Promise<StoreData> {
  return dataIn(await open(url, migrate), now);
}

/** The keys alone, of a store that was made there before. Throws as `postgresData`, and where there is none. */
export async function postgresKeyData(url: string): Promise<KeyData> {
  const database = await open(url, checkStore);
  return { keys: postgresKeys(database, new Map()), close: () => database.close() };
}

/** The database at `url`, when it has been made ready. */
async function open(url: string, ready: (database: Database) => Promise<void>): Promise<Database> {
  const database = openDatabase(readDatabaseUrl(url));
  try {
    await ready(database);
    return database;
  } catch (error) {
    await database.close();
    throw failureOf(error);
  }
}

function dataIn(database: Database, now: () => number): StoreData {
  const known = new Map<string, KeyRecord>();
  const { place } = database;
  const close = (): Promise<void> => database.close();
  return {
    storage: { place, ...postgresPets(database), ...postgresKeys(database, known), close },
    limits: postgresLimits(database, known, now),
    close,
  };
}

/** A server, and what to show of the URL that led to it: nothing secret. */
export interface DatabaseAddress {
  readonly url: string;
  /** The URL without the password and the options, for `data` in what the store tells. */
  readonly place: string;
  /** Host and port, or the socket's folder: for messages. */
  readonly address: string;
}

const example = "as in postgres://user@host:5432/database";
const highestPort = 65_535;

/**
 * Reads a `postgres://` URL as pg does. Throws a usage Failure for one that is none, and an io
 * Failure where a file that it names can't be read. Neither shows the URL: a password may be in it.
 */
function readDatabaseUrl(url: string): DatabaseAddress {
  const { host, port, user, database } = connectionParameters(url);
  if (!(port > 0 && port <= highestPort))
    throw usageFailure("the port in the URL of --data must be a whole number from 1 to 65535");
  const login = user === undefined ? "" : `${encodeURIComponent(user)}@`;
  const end = `/${encodeURIComponent(database ?? "")}`;
  if (host.startsWith("/"))
    return {
      url,
      address: `${host}, port ${port}`,
      place: `postgres://${login}${end}?host=${encodeURI(host)}&port=${port}`,
    };
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { url, address, place: `postgres://${login}${address}${end}` };
}

function connectionParameters(url: string) {
  try {
    const { host, port, user, database } = new Client({ connectionString: url });
    return { host, port, user, database };
  } catch (error) {
    if (isFileError(error))
      throw ioFailure(
        `the file ${JSON.stringify(error.path)} that --data names can't be read`,
        error,
      );
    throw usageFailure(`the URL of --data is not valid; write it ${example}`);
  }
}

function isFileError(error: unknown): error is Error & { readonly path: string } {
  return error instanceof Error && "syscall" in error && "path" in error;
}
