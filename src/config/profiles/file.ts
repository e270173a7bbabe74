import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import path from "node:path";
import { groupOtherMask, resolveLinks } from "../../platform/private-files.ts";
import { errorMessage, Failure, ioFailure, isSystemError } from "../../core/errors.ts";
import type { ProfileData } from "../types.ts";
import { isProfileFile, noProfiles, profileDataProblem } from "./profiles.ts";

/** The mode of the profile file (contract.md, Where a setting comes from). */
const profileFileMode = 0o600;

/** What reading the profile file needs to know of the system and to tell the user. */
export interface ProfileFileAccess {
  readonly platform: NodeJS.Platform;
  warn(text: string): Promise<void>;
}

/**
 * The profiles in `file`, through conf; none, and nothing made, where there is no such file. One
 * that others can read gets mode 0600, with a warning. Throws an io Failure that names the file when
 * it is damaged or can't be read; it stays as it was.
 */
export async function readProfileFile(
  file: string,
  access: ProfileFileAccess,
): Promise<ProfileData> {
  try {
    const stats = statsOf(file);
    if (stats === undefined) return noProfiles;
    // Anything else may never end when it is read.
    if (!stats.isFile()) throw damagedFailure(file, "it is not a file");
    await restrictMode(file, stats.mode, access);
    return { ...noProfiles, ...(await openConf(file)).store };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`the profile file ${file} can't be read: ${errorMessage(error)}`, error);
  }
}

/** The store that conf keeps in `file`; `write` is given each text before it is written. */
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

/** `data` as it is written. */
function serialize(data: Partial<ProfileData>): string {
  return `${JSON.stringify(data, undefined, 2)}\n`;
}

function parseText(text: string, file: string): Partial<ProfileData> {
  // conf decodes before anything can be seen of bytes that are no UTF-8; to write back what it made
  // of them would lose them.
  if (text.includes("\uFFFD")) throw damagedFailure(file, "it is not UTF-8 text");
  const value = parseJson(text.replace(/^\uFEFF/, ""), file);
  if (isProfileFile(value)) return value;
  throw damagedFailure(file, profileDataProblem(value) ?? "");
}

// What JSON.parse says quotes the text around the fault, which may be a key.
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
    "it was left as it is: repair it, or move it away and log in again",
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
  // Windows has no such modes; what Node tells of them there means nothing.
  if (access.platform === "win32" || (mode & groupOtherMask) === 0) return;
  const found = `the profile file ${file} was open to other users`;
  try {
    chmodSync(file, profileFileMode);
  } catch (error) {
    await access.warn(`${found}, and still is: ${errorMessage(error)}`);
    return;
  }
  await access.warn(`${found}; its mode is 600 now`);
}

/**
 * Puts `data` into `file`, so that whoever reads it finds the old text or the new one, whole, also
 * after kill -9 and on a full disk. A link stays one. The caller holds the lock.
 *
 * conf writes a file beside it, which takes its place only when all of it is there: conf itself
 * takes a short write for the whole, and writes in place when SNAP is set.
 * Throws an io Failure that names the file.
 */
export async function writeProfileFile(file: string, data: ProfileData): Promise<void> {
  try {
    const target = resolveLinks(file);
    const next = `${target}.next`;
    removeLeftovers(next);
    const written = await writeNext(next, data);
    if (readFileSync(next, "utf8") !== written) throw new Error("not all of it could be written");
    renameSync(next, target);
  } catch (error) {
    throw ioFailure(`the profile file ${file} can't be written: ${errorMessage(error)}`, error);
  }
}

/** Writes `data` to the new file `next`, and answers the text that should be in it. */
async function writeNext(next: string, data: ProfileData): Promise<string> {
  let text = "";
  const conf = await openConf(next, (value) => (text = serialize(value)));
  conf.store = data;
  return text;
}

/** Removes what writers that were killed have left of `next`, and of conf's own file beside it. */
function removeLeftovers(next: string): void {
  const folder = path.dirname(next);
  const name = path.basename(next);
  for (const entry of readdirSync(folder))
    if (entry === name || entry.startsWith(`${name}.tmp-`))
      rmSync(path.join(folder, entry), { force: true });
}
