import { execFile, execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Client, type QueryResult } from "pg";
import { afterAll, beforeAll } from "vitest";
import { singleQuote } from "../../../src/core/shell-quote.ts";
import { reachableTmpdir } from "../program/other-user.ts";
import { freePort } from "../servers/free-port.ts";

const run = promisify(execFile);

/** Returns the folder of the newest server programs on Debian; undefined if there are none. */
function findPrograms(): string | undefined {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base) : [];
  return versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => path.join(base, version, "bin"))
    .find((folder) => existsSync(path.join(folder, "initdb")));
}

const programs = findPrograms();

export const postgresAvailable = programs !== undefined;
if (!postgresAvailable) console.warn("skipped: the tests on PostgreSQL, for there is no server");

export type PostgresServer = ReturnType<typeof serverIn>;

/** Starts a server before the tests of its block, and stops it after them. */
export function usePostgres() {
  const folder = mkdtempSync(path.join(placeForServers(), "pets-postgres-"));
  const server = serverIn(programs ?? "", folder);
  beforeAll(() => server.make());
  afterAll(() => server.remove());
  return server;
}

/** Returns a folder for servers with a short path: that of a Unix socket may have about 100 bytes (unix(7)). */
function placeForServers(): string {
  return Buffer.byteLength(reachableTmpdir) > 60 ? "/tmp" : reachableTmpdir;
}

function serverIn(bin: string, folder: string) {
  const data = path.join(folder, "data");
  const owner = databaseUser();
  const program = (name: string, args: readonly string[]): Promise<unknown> =>
    run(path.join(bin, name), args, { ...owner, cwd: folder, env: { LC_ALL: "C", PATH: bin } });
  let databases = 0;
  const server = {
    host: "127.0.0.1",
    port: 0,
    /** That of its Unix socket. */
    folder,
    make: async (): Promise<void> => {
      if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
      await program("initdb", ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8"]);
      server.port = await freePort();
      await server.start();
    },
    start: async (): Promise<void> => {
      const sockets = singleQuote(folder);
      const options = `-p ${server.port} -k ${sockets} -c listen_addresses=127.0.0.1`;
      const log = path.join(folder, "log");
      await program("pg_ctl", ["-D", data, "-l", log, "-o", options, "-w", "start"]);
    },
    /** Stops it, by one of the modes of `pg_ctl`. */
    stop: async (mode: "fast" | "immediate"): Promise<void> => {
      await program("pg_ctl", ["-D", data, "-m", mode, "-w", "stop"]);
    },
    remove: async (): Promise<void> => {
      await server.stop("immediate").catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
    /** Makes an empty database, and returns its URL. `options` are those of CREATE DATABASE. */
    createDatabase: async (options = ""): Promise<string> => {
      databases += 1;
      const root = `postgres://postgres@127.0.0.1:${server.port}`;
      await sql(`${root}/postgres`, `CREATE DATABASE shop${databases} ${options}`);
      return `${root}/shop${databases}`;
    },
  };
  return server;
}

/** Runs SQL at `url`, and returns the rows of the last statement. */
export async function sql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const results: unknown = await client.query(text);
    const last: unknown = Array.isArray(results) ? results.at(-1) : results;
    return (last as QueryResult).rows;
  } finally {
    await client.end();
  }
}

/**
 * Stops the clock of the database at `url`, for connections opened from now on, at `moment` (ms since the
 * epoch): functions of the first schema in its search path override the system's.
 */
export async function stopClock(url: string, moment: number): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await sql(
    url,
    `CREATE SCHEMA test_clock;
     CREATE TABLE test_clock.moment AS SELECT ${moment}::bigint AS ms;
     CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql
       AS 'SELECT to_timestamp(ms / 1000.0) FROM test_clock.moment';
     ALTER DATABASE ${name} SET search_path = test_clock, pg_catalog, public`,
  );
}

/** Sets the stopped clock of the database at `url` to `moment`. */
export async function setClock(url: string, moment: number): Promise<void> {
  await sql(url, `UPDATE test_clock.moment SET ms = ${moment}`);
}

function idOf(flag: string, user: string): number {
  return Number(execFileSync("id", [flag, user], { stdio: ["ignore", "pipe", "ignore"] }));
}

/** Returns the user for a server, which refuses to run as root; undefined for the one that runs the tests. */
export function databaseUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ["postgres", "nobody"]) {
    try {
      return { uid: idOf("-u", user), gid: idOf("-g", user) };
    } catch {
      // There is no such user.
    }
  }
  return undefined;
}
