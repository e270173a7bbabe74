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
import { asOwnerOf, foreignDirectory } from "../../platform/owner.ts";
import { groupOtherMask, resolveLinks } from "../../platform/private-files.ts";
import { errorMessage, Failure, ioFailure, isSystemError } from "../../core/errors.ts";
import { isProfileFile, noProfiles, type ProfileData, profileDataProblem } from "./profiles.ts";

/** The mode of the profile file (`help profiles`). */
const profileFileMode = 0o600;

/** What reading the profile file needs. */
export interface ProfileFileAccess {
  readonly platform: NodeJS.Platform;
  warn(text: string): Promise<void>;
}

/**
 * Reads the profiles in `file`, with conf; none if there is no such file, which is not created. A file
 * that others can read gets mode 0600, with a warning. Throws an io Failure that names the file if it
 * is damaged or cannot be read; it is left unchanged.
 */
export async function readProfileFile(
  file: string,
  access: ProfileFileAccess,
): Promise<ProfileData> {
  try {
    const warning = asOwnerOf(file, () => prepare(file, access));
    if (warning === undefined) return noProfiles;
    if (warning !== "") await access.warn(warning);
    const open = await loadConf();
    return asOwnerOf(file, () => ({ ...noProfiles, ...open(file).store }));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`the profile file ${file} cannot be read: ${errorMessage(error)}`, error);
  }
}

/** Loads conf; the function that it returns opens the store in `file`, and `toText` makes what is written. */
async function loadConf() {
  const { Conf } = await import("../../vendor/conf.ts");
  return (file: string, toText = serialize) =>
    new Conf<Partial<ProfileData>>({
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

/**
 * Checks that the profile file can be read safely, and gives it mode 0600. Returns a warning if others could
 * read it, or an empty text; undefined if there is no file.
 */
function prepare(file: string, { platform }: ProfileFileAccess): string | undefined {
  const fd = openIfThere(file);
  if (fd === undefined) return undefined;
  try {
    const stats = fstatSync(fd);
    // Reading a pipe or device might never end.
    if (!stats.isFile()) throw damagedFailure(file, "it is not a file");
    // Windows has no such modes; what Node reports there is meaningless.
    if (platform === "win32" || (stats.mode & groupOtherMask) === 0) return "";
    return restrictMode(fd, file);
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
 * Writes `data` to `file` atomically: readers see the old text or the new one, also after kill -9 and on a full disk.
 * A symbolic link is followed, not replaced. The caller holds the lock. Throws an io Failure that names the file.
 *
 * conf writes a file next to it, which is checked and then renamed: conf alone would accept a short write, and write
 * in place if SNAP is set.
 */
export async function writeProfileFile(file: string, data: ProfileData): Promise<void> {
  try {
    const open = await loadConf();
    asOwnerOf(file, () => {
      const target = resolveLinks(file);
      const next = `${target}.next`;
      removeLeftovers(next);
      let text = "";
      open(next, (value) => (text = serialize(value))).store = data;
      finish(next, target, text);
      renameSync(next, target);
    });
  } catch (error) {
    throw ioFailure(`the profile file ${file} cannot be written: ${errorMessage(error)}`, error);
  }
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
