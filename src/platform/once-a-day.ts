import { hash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { isSystemError } from "../core/errors.ts";
import { asOwnerOf } from "./owner.ts";
import { ensurePrivateFolder, openPrivateFile } from "./private-files.ts";

const { O_WRONLY, O_CREAT, O_EXCL } = constants;

const dayMs = 24 * 60 * 60_000;

/**
 * Returns true once in 24 hours for each `text`, which it records in `folder`: of several processes that call it at
 * the same moment, one gets true. If the folder can't be used, all do. `now` is ms since the epoch.
 */
export function claimOncePerDay(folder: string, text: string, now: number): boolean {
  return asOwnerOf(folder, () => claim(folder, text, now));
}

function claim(folder: string, text: string, now: number): boolean {
  const name = hash("sha256", text).slice(0, 16);
  const day = Math.floor(now / dayMs);
  const fileOf = (each: number): string => path.join(folder, `${name}.${each}`);
  const age = now - claimedAt(fileOf(day - 1));
  if (age >= 0 && age < dayMs) return false;
  try {
    ensurePrivateFolder(folder);
    const fd = openPrivateFile(fileOf(day), O_WRONLY | O_CREAT | O_EXCL);
    writeSync(fd, `${now}`);
    closeSync(fd);
    removeOthers(folder, name, day);
    return true;
  } catch (error) {
    // Another process was faster; else the folder can't be used.
    return !isSystemError(error, "EEXIST") || !existsSync(fileOf(day));
  }
}

/** Returns when the claim in `file` was made, in ms since the epoch; NaN if there is none. */
function claimedAt(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, "utf8"), 10);
  } catch {
    return Number.NaN;
  }
}

function removeOthers(folder: string, name: string, day: number): void {
  for (const entry of readdirSync(folder))
    if (entry.startsWith(`${name}.`) && entry !== `${name}.${day}`)
      rmSync(path.join(folder, entry), { force: true });
}
