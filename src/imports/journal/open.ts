import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import path from "node:path";
import { ensurePrivateFolder } from "../../platform/private-files.ts";
import { isSystemError } from "../../core/errors.ts";
import { type Lock, tryLock } from "../../platform/sqlite-lock.ts";
import { encodeLine } from "./codec.ts";
import { journalIoFailure, journalLocked } from "./errors.ts";
import { JournalFile } from "./file.ts";
import { Journal, type JournalOptions, type JournalParts } from "./journal.ts";
import { journalFile, type JournalRef, lockFileOf } from "./read.ts";
import { RowStates } from "./row-states.ts";

/**
 * Opens the journal of a run, or creates it, and locks it until it is closed or the process ends.
 * Writing continues after the last complete record. Throws a usage Failure if another run holds the
 * lock, or if the journal is damaged (contract.md, Bulk, The journal) or belongs to another input; an
 * io Failure if it can't be used. Both name the file.
 */
export function openJournal(options: JournalOptions): Journal {
  const lock = lockInput(options);
  try {
    return openLockedJournal(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Opens a journal whose input is already locked; closing it releases `lock`. */
export function openLockedJournal(options: JournalOptions, lock: Lock): Journal {
  const file = journalFile(options);
  return new Journal({ ...openFile(options, file), options, lock });
}

/** Locks all journals of an input at its base URL; makes their folder. Throws like `openJournal`. */
export function lockInput({ folder, name }: Omit<JournalRef, "rows">): Lock {
  const file = journalFile({ folder, name });
  const changed = attempt(file, "made", () => ensureFolder(folder));
  attempt(file, "made", () => changed.forEach(syncFolder));
  const lockFile = lockFileOf({ folder, name });
  const lock = attempt(file, `locked with ${lockFile}`, () => tryLock(lockFile));
  if (lock === undefined) throw journalLocked(file);
  return lock;
}

function openFile(
  options: JournalOptions,
  journalPath: string,
): Pick<JournalParts, "file" | "found"> {
  const file = new JournalFile(journalPath);
  try {
    const found = resume(file, options) ?? begin(file, options);
    file.sync();
    attempt(journalPath, "written", () => syncFolder(options.folder));
    return { file, found };
  } catch (error) {
    file.close();
    throw error;
  }
}

function resume(file: JournalFile, options: JournalOptions): JournalParts["found"] | undefined {
  const found = file.replay(options);
  file.truncate(found?.length ?? 0);
  if (found?.missingNewline) file.write("\n");
  return found;
}

function begin(file: JournalFile, options: JournalOptions): JournalParts["found"] {
  const { rows, name, key, input } = options;
  const { text, crc } = encodeLine({ kind: "begin", rows, name, key, input }, 0);
  file.write(text);
  return { rows: new RowStates(rows), key, isFinished: false, crc, storeId: undefined };
}

function attempt<Result>(file: string, what: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw journalIoFailure(file, what, error);
  }
}

const hexDigits = 32;

/**
 * Returns the name of the journal of an input at a service: a hash of `content`, the hexadecimal
 * SHA-256 of its bytes, and of the base URL without trailing slashes (contract.md, Bulk).
 */
export function journalName(content: string, baseUrl: URL): string {
  return hashOf(`pets bulk journal\n${content}\n${baseOf(baseUrl)}`);
}

/** Returns a hash of the address of a store: its base URL without trailing slashes. */
export function addressHash(baseUrl: URL): string {
  return hashOf(`pets bulk address\n${baseOf(baseUrl)}`);
}

/** Returns the suffix of the journal for the store `storeId`, if there is one for another store too. */
export function storeSuffix(storeId: string | undefined): string {
  return storeId === undefined ? "unnamed" : hashOf(`pets bulk store\n${storeId}`).slice(0, 16);
}

const baseOf = (baseUrl: URL): string => baseUrl.origin + baseUrl.pathname.replace(/\/+$/, "");

const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, hexDigits);

/** Creates `folder` (mode 0700). Returns the folders to sync for it to survive a power loss. */
function ensureFolder(folder: string): readonly string[] {
  const changed = [folder];
  let parent = folder;
  while (!existsSync(parent) && path.dirname(parent) !== parent) {
    parent = path.dirname(parent);
    changed.push(parent);
  }
  ensurePrivateFolder(folder);
  return changed;
}

/** Syncs the entries of `folder` to the disk, if the system supports that. Throws if the disk fails. */
function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, "r");
    fsyncSync(fd);
  } catch (error) {
    // Windows can't open folders, and some file systems can't sync them.
    if (["EIO", "ENOSPC", "EDQUOT"].some((code) => isSystemError(error, code))) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
