import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import path from "node:path";
import { errorMessage, Failure, ioFailure, isSystemError } from "../../core/errors.ts";
import { asOwnerOf, foreignDirectory } from "../../platform/owner.ts";
import { groupOtherMask, resolveLinks } from "../../platform/private-files.ts";
import { isProfileFile, noProfiles, type ProfileData, profileDataProblem } from "./profiles.ts";

/** The mode of the profile file (`help profiles`). */
const profileFileMode = 0o600;

/** What reading the profile file needs. */
export interface ProfileFileAccess {
  readonly platform: NodeJS.Platform;
  warn(text: string): Promise<void>;
}

/**
 * Reads the profiles in `file`; none if there is no such file, which is not created. A file that others can read
 * gets mode 0600, with a warning. Throws an io Failure that names the file if it is damaged or cannot be read; it
 * is left unchanged.
 */
export async function readProfileFile(
  file: string,
  access: ProfileFileAccess,
): Promise<ProfileData> {
  try {
    const found = asOwnerOf(file, () => readIfThere(file, access));
    if (found === undefined) return noProfiles;
    if (found.warning !== undefined) await access.warn(found.warning);
    return { ...noProfiles, ...parseProfiles(found.bytes, file) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`the profile file ${file} cannot be read: ${errorMessage(error)}`, error);
  }
}

function parseProfiles(bytes: Uint8Array, file: string): Partial<ProfileData> {
  const text = orUndefined(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  if (text === undefined) throw damagedFailure(file, "it is not UTF-8 text");
  // The message of JSON.parse quotes text around the error, which may be a key.
  const value = orUndefined((): unknown => JSON.parse(text));
  if (value === undefined) throw damagedFailure(file, "it is not JSON");
  if (isProfileFile(value)) return value;
  throw damagedFailure(file, profileDataProblem(value) ?? "");
}

function orUndefined<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

function damagedFailure(file: string, problem: string): Failure {
  return ioFailure(
    `the profile file ${file} is damaged: ${problem}`,
    undefined,
    "it was not changed: repair it, or move it away and log in again",
  );
}

/** Reads the profile file, and gives it mode 0600, with a warning, if others could read it; undefined if there is none. */
function readIfThere(file: string, { platform }: ProfileFileAccess) {
  const fd = openIfThere(file);
  if (fd === undefined) return undefined;
  try {
    const stats = fstatSync(fd);
    // Reading a pipe or device might never end.
    if (!stats.isFile()) throw damagedFailure(file, "it is not a file");
    // Windows has no such modes; what Node reports there is meaningless.
    const isShared = platform !== "win32" && (stats.mode & groupOtherMask) !== 0;
    const warning = isShared ? restrictMode(fd, file) : undefined;
    return { warning, bytes: readFileSync(fd) };
  } finally {
    closeSync(fd);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

function restrictMode(fd: number, file: string): string {
  const found = `the profile file ${file} was readable by other users`;
  try {
    fchmodSync(fd, profileFileMode);
  } catch (error) {
    return `${found}, and its mode cannot be changed: ${errorMessage(error)}`;
  }
  return `${found}; its mode was changed to 600`;
}

/**
 * Loads conf, and returns the function that writes `data` to `file` atomically: readers see the old text or the new
 * one, also after kill -9 and on a full disk. A symbolic link is followed, not replaced. The caller holds the lock.
 * It throws an io Failure that names the file.
 *
 * conf writes a file next to it, which is checked and then renamed: conf alone would accept a short write, and write
 * in place if SNAP is set.
 */
export async function loadProfileWriter(): Promise<(file: string, data: ProfileData) => void> {
  const { Conf } = await import("../../vendor/conf.ts");
  return (file, data) => {
    try {
      asOwnerOf(file, () => {
        const target = resolveLinks(file);
        const next = `${target}.next`;
        removeLeftovers(next);
        const text = `${JSON.stringify(data, undefined, 2)}\n`;
        const conf = new Conf<Partial<ProfileData>>({
          cwd: path.dirname(next),
          configName: path.basename(next),
          fileExtension: "",
          configFileMode: profileFileMode,
          accessPropertiesByDotNotation: false,
          serialize: () => text,
        });
        conf.store = data;
        finish(next, target, text);
        renameSync(next, target);
      });
    } catch (error) {
      throw ioFailure(`the profile file ${file} cannot be written: ${errorMessage(error)}`, error);
    }
  };
}

/** Checks that `text` is in `next`, and gives it the owner of `target`, or of the folder if that is missing. */
function finish(next: string, target: string, text: string): void {
  const fd = openSync(next, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    if (readFileSync(fd, "utf8") !== text) throw new Error("not all of it could be written");
    const owner = lstatSync(target, { throwIfNoEntry: false }) ?? foreignDirectory(target);
    if (owner !== undefined && owner.uid !== fstatSync(fd).uid)
      fchownSync(fd, owner.uid, owner.gid);
  } finally {
    closeSync(fd);
  }
}

/** Removes what killed writers left: `next`, and the temporary files that conf makes for it. */
function removeLeftovers(next: string): void {
  const folder = path.dirname(next);
  const name = path.basename(next);
  for (const entry of readdirSync(folder))
    if (entry === name || entry.startsWith(`${name}.tmp-`))
      rmSync(path.join(folder, entry), { force: true });
}
