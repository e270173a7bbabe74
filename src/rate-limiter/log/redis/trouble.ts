import { hash } from "node:crypto";
import {
  closeSync,
  constants,
  ftruncateSync,
  futimesSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { ensurePrivateFolder, openPrivateFile } from "../../../platform/private-files.ts";

/** How long the processes of a machine remember that a server can't be reached, in ms. */
const rememberMs = 30_000;
const maxReason = 200;

/** Where the processes record that a server can't be used. */
export interface TroubleMemory {
  /** The folder of the limiters' state. */
  readonly folder: string;
  /** The URL of the server, without a password. */
  readonly server: string;
  /** Returns the time, in ms since the epoch. */
  readonly now: () => number;
}

/** Returns why the server could not be used a moment ago; undefined if that is not recorded. */
export function recentTrouble(memory: TroubleMemory): string | undefined {
  try {
    const file = fileOf(memory);
    const age = memory.now() - statSync(file).mtimeMs;
    // After a clock was set back, the record counts as old.
    return Math.abs(age) < rememberMs ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Records why the server can't be used. Does nothing if the folder can't be written to. */
export function rememberTrouble(memory: TroubleMemory, reason: string): void {
  try {
    ensurePrivateFolder(memory.folder);
    const fd = openPrivateFile(fileOf(memory), constants.O_WRONLY | constants.O_CREAT);
    ftruncateSync(fd);
    writeSync(fd, reason.slice(0, maxReason));
    // The file system's clock may be a different one.
    futimesSync(fd, memory.now() / 1000, memory.now() / 1000);
    closeSync(fd);
  } catch {
    // Other processes then find out on their own.
  }
}

function fileOf({ folder, server }: TroubleMemory): string {
  return `${folder}/away-${hash("sha256", server).slice(0, 16)}`;
}
