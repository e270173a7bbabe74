import { hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  futimesSync,
  readSync,
  writeSync,
} from "node:fs";
import { ensurePrivateFolder, openPrivateFile, removeIf } from "../../../platform/private-files.ts";
import type { RedisServer } from "./connection.ts";

/** How long the processes of a machine remember that a server can't be reached, in ms. */
const rememberMs = 30_000;
const maxReason = 200;

/** Where the processes record that a server can't be used. */
export interface TroubleMemory {
  readonly folder: string;
  /** A failure is remembered for the URL and the credentials that it was met with. */
  readonly server: Pick<RedisServer, "username" | "password" | "database"> & {
    readonly url: string;
  };
  readonly now: () => number;
}

/** Returns why the server could not be used a moment ago; undefined if that is not recorded. */
export function recentTrouble(memory: TroubleMemory): string | undefined {
  return withFile(memory, constants.O_RDONLY, (fd) => {
    const age = memory.now() - fstatSync(fd).mtimeMs;
    // After a clock was set back, the record counts as old.
    if (Math.abs(age) >= rememberMs) return undefined;
    const buffer = Buffer.alloc(4 * maxReason);
    return buffer.toString("utf8", 0, readSync(fd, buffer));
  });
}

/** Records why the server can't be used. Does nothing if the folder can't be written to. */
export function rememberTrouble(memory: TroubleMemory, reason: string): void {
  withFile(memory, constants.O_WRONLY | constants.O_CREAT, (fd) => {
    ftruncateSync(fd);
    writeSync(fd, reason.slice(0, maxReason));
    // The file system's clock may be a different one.
    futimesSync(fd, memory.now() / 1000, memory.now() / 1000);
  });
}

/** Returns what `step` returns; undefined if the file can't be used: other processes then find out on their own. */
function withFile<T>(memory: TroubleMemory, flags: number, step: (fd: number) => T): T | undefined {
  try {
    if ((flags & constants.O_CREAT) !== 0) ensurePrivateFolder(memory.folder);
    const fd = openPrivateFile(fileOf(memory), flags);
    try {
      return step(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** Forgets it, so that the next process tries the server. */
export function forgetTrouble(memory: Omit<TroubleMemory, "now">): void {
  removeIf(fileOf(memory), () => true);
}

const serverDigits = 16;
/** So few that nobody can test a guess of the password by them. */
const credentialDigits = 4;

function fileOf({ folder, server }: Omit<TroubleMemory, "now">): string {
  const { url, username = "", password = "", database } = server;
  const place = hash("sha256", `${url}/${database}`).slice(0, serverDigits);
  const who = hash("sha256", `${username}\n${password}`).slice(0, credentialDigits);
  return `${folder}/away-${place}-${who}`;
}
