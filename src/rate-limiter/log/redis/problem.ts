import { hash } from "node:crypto";
import { closeSync, constants, futimesSync, lstatSync, readFileSync, writeSync } from "node:fs";
import { ensurePrivateFolder, openPrivateFile, removeIf } from "../../../platform/private-files.ts";
import type { RedisServer } from "./connection.ts";

/** How long the processes of a machine remember that a server can't be reached, in ms. */
const rememberMs = 30_000;
const maxReason = 200;
const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Where the processes record that a server can't be used. */
export interface ProblemMemory {
  readonly folder: string;
  /** A failure is remembered for one URL and its credentials. */
  readonly server: Pick<RedisServer, "username" | "password" | "database"> & {
    readonly url: string;
  };
  readonly now: () => number;
}

/** Returns why the server could not be used a moment ago; undefined if that is not recorded. */
export function recentProblem(memory: ProblemMemory): string | undefined {
  try {
    const file = fileOf(memory);
    // After a clock was set back, the record counts as old.
    if (Math.abs(memory.now() - lstatSync(file).mtimeMs) >= rememberMs) return undefined;
    const reason = readFileSync(file, { encoding: "utf8", flag: O_RDONLY | O_NOFOLLOW });
    return reason.slice(0, maxReason);
  } catch {
    return undefined;
  }
}

/** Records why the server can't be used. If that fails, other processes try the server as well. */
export function rememberProblem(memory: ProblemMemory, reason: string): void {
  try {
    ensurePrivateFolder(memory.folder);
    const fd = openPrivateFile(fileOf(memory), O_WRONLY | O_CREAT | O_TRUNC);
    writeSync(fd, reason);
    // The file system's clock may be a different one.
    futimesSync(fd, memory.now() / 1000, memory.now() / 1000);
    closeSync(fd);
  } catch {
    // The folder can't be written to.
  }
}

/** Removes that record, so that the next process tries the server. */
export function forgetProblem(memory: Omit<ProblemMemory, "now">): void {
  removeIf(fileOf(memory), () => true);
}

function fileOf({ folder, server }: Omit<ProblemMemory, "now">): string {
  const { url, username, password, database } = server;
  const name = hash("sha256", JSON.stringify([url, database, username, password]));
  return `${folder}/unusable-${name.slice(0, 16)}`;
}
