import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import path from "node:path";
import { groupOtherMask, inheritOwner, resolveLinks } from "../../platform/private-files.ts";
import { errorMessage, Failure, ioFailure, isSystemError } from "../../core/errors.ts";
import type { ProfileData } from "../types.ts";
import { isProfileFile, noProfiles, profileDataProblem } from "./profiles.ts";

/** The mode of the profile file (contract.md, Where a setting comes from). */
const profileFileMode = 0o600;

/** What reading the profile file needs. */
export interface ProfileFileAccess {
  readonly platform: NodeJS.Platform;
  warn(text: string): Promise<void>;
}

/**
 * Reads the profiles in `file`, with conf; none if there is no such file, which is not created. A file
 * that others can read gets mode 0600, with a warning. Throws an io Failure that names the file if it
 * is damaged or can't be read; it is left unchanged.
 */
export async function readProfileFile(
  file: string,
  access: ProfileFileAccess,
): Promise<ProfileData> {
  try {
    const stats = statsOf(file);
    if (stats === undefined) return noProfiles;
    // Reading a pipe or device might never end.
    if (!stats.isFile()) throw damagedFailure(file, "it is not a file");
    await restrictMode(file, stats.mode, access);
    return { ...noProfiles, ...(await openConf(file)).store };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`the profile file ${file} can't be read: ${errorMessage(error)}`, error);
  }
}

/** Opens the store that conf keeps in `file`; `toText` makes the text that is written. */
async function openConf(file: string, toText = serialize) {
  const { Conf } = await import("../../vendor/conf.ts");
  return new Conf<Partial<ProfileData>>({
    cwd: path.dirname(file),
    configName: path.basename(file),
    fileExtension: "",
    configFileMode: profileFileMode,
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: false,
    serialize: toText,
    deserialize: (text) => parseText(text, file),
  });
}

/** Returns the text of a profile file. */
function serialize(data: Partial<ProfileData>): string {
  return `${JSON.stringify(data, undefined, 2)}\n`;
}

function parseText(text: string, file: string): Partial<ProfileData> {
  // conf has already decoded the file: invalid UTF-8 shows as U+FFFD, and writing it back would lose
  // the original bytes.
  if (text.includes("\uFFFD")) throw damagedFailure(file, "it is not UTF-8 text");
  const value = parseJson(text.replace(/^\uFEFF/, ""), file);
  if (isProfileFile(value)) return value;
  throw damagedFailure(file, profileDataProblem(value) ?? "");
}

// The message of JSON.parse quotes text around the error, which may be a key.
function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damagedFailure(file, "it is not JSON");
  }
}

function damagedFailure(file: string, problem: string): Failure {
  return ioFailure(
    `the profile file ${file} is damaged: ${problem}`,
    undefined,
    "it was not changed: repair it, or move it away and log in again",
  );
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

async function restrictMode(file: string, mode: number, access: ProfileFileAccess): Promise<void> {
  // Windows has no such modes; what Node reports there is meaningless.
  if (access.platform === "win32" || (mode & groupOtherMask) === 0) return;
  const found = `the profile file ${file} was readable by other users`;
  try {
    chmodSync(file, profileFileMode);
  } catch (error) {
    await access.warn(`${found}, and its mode can't be changed: ${errorMessage(error)}`);
    return;
  }
  await access.warn(`${found}; its mode was changed to 600`);
}

/**
 * Writes `data` to `file` atomically: readers see the old text or the new one, also after kill -9 and
 * on a full disk. A symbolic link is followed, not replaced. The caller holds the lock. Throws an io
 * Failure that names the file.
 *
 * conf writes a file next to it, which is checked and then renamed: conf alone would accept a short
 * write, and write in place if SNAP is set.
 */
export async function writeProfileFile(file: string, data: ProfileData): Promise<void> {
  try {
    const target = resolveLinks(file);
    const next = `${target}.next`;
    removeLeftovers(next);
    const written = await writeNext(next, data);
    if (readFileSync(next, "utf8") !== written) throw new Error("not all of it could be written");
    keepOwner(next, statsOf(target));
    renameSync(next, target);
  } catch (error) {
    throw ioFailure(`the profile file ${file} can't be written: ${errorMessage(error)}`, error);
  }
}

/** Gives `next` the owner of the file that it replaces, or of its folder if there is none. */
function keepOwner(next: string, replaced: Stats | undefined): void {
  if (replaced === undefined) inheritOwner(next);
  else if (replaced.uid !== statSync(next).uid) chownSync(next, replaced.uid, replaced.gid);
}

/** Writes `data` to the new file `next`, and returns the text that should be in it. */
async function writeNext(next: string, data: ProfileData): Promise<string> {
  let text = "";
  const conf = await openConf(next, (value) => (text = serialize(value)));
  conf.store = data;
  return text;
}

/** Removes what killed writers left: `next`, and the temporary files that conf makes for it. */
function removeLeftovers(next: string): void {
  const folder = path.dirname(next);
  const name = path.basename(next);
  for (const entry of readdirSync(folder))
    if (entry === name || entry.startsWith(`${name}.tmp-`))
      rmSync(path.join(folder, entry), { force: true });
}
