import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { hasProgram } from "../program/has-program.ts";
import { freePort } from "../servers/free-port.ts";
import { databaseUser, type PostgresServer } from "./postgres.ts";

/** Debian has it where only root's path leads. */
const ownPlace = "/usr/sbin/pgbouncer";
const program = existsSync(ownPlace) ? ownPlace : "pgbouncer";

export const pgbouncerAvailable = program === ownPlace || hasProgram(program);

/** Starts PgBouncer before `server` with these settings; it is killed when the test ends. Returns its URL of the database at `url`. */
export async function startPooler(
  server: PostgresServer,
  url: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<string> {
  const port = await freePort();
  const own = {
    listen_addr: server.host,
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: path.join(server.folder, "users"),
    ...settings,
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`);
  const file = path.join(server.folder, `pooler-${port}.ini`);
  const databases = `[databases]\n* = host=${server.host} port=${server.port}`;
  writeFileSync(own.auth_file, '"postgres" ""\n');
  writeFileSync(file, `${databases}\n[pgbouncer]\n${lines.join("\n")}\n`);
  const user = databaseUser();
  if (user) for (const each of [file, own.auth_file]) chownSync(each, user.uid, user.gid);
  const child = spawn(program, [file], { ...user, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  for (let log = ""; !log.includes("process up");) log += String(await once(child.stderr, "data"));
  child.stderr.resume();
  return url.replace(`:${server.port}`, `:${port}`);
}
