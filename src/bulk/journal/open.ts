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
import { journalFile } from "./read.ts";
import { RowStates } from "./row-states.ts";

/**
 * The journal of a run, locked against others until it is closed or the process is gone: the one
 * that is there, behind whose last whole record it goes on, or a new one. Throws a usage Failure
 * where another run holds it, where it is damaged (contract.md, Bulk, The journal), or is not of
 * this input; an io Failure where it can't be kept. Both name the file.
 */
export function openJournal(options: JournalOptions): Journal {
  const place = journalFile(options);
  const changed = attempt(place, "made", () => ensureFolder(options.folder));
  const lock = takeLock(options, place);
  try {
    return new Journal({ ...openFile(options, place, changed), options, lock });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function takeLock({ folder, name }: JournalOptions, place: string): Lock {
  const file = path.join(folder, `${name}.lock`);
  const lock = attempt(place, `locked with ${file}`, () => tryLock(file));
  if (lock === undefined) throw journalLocked(place);
  return lock;
}

function openFile(
  options: JournalOptions,
  place: string,
  changed: readonly string[],
): Pick<JournalParts, "file" | "found"> {
  const file = new JournalFile(place);
  try {
    const found = goOn(file, options) ?? begin(file, options);
    file.sync();
    attempt(place, "written", () => changed.forEach(syncFolder));
    return { file, found };
  } catch (error) {
    file.close();
    throw error;
  }
}

function goOn(file: JournalFile, options: JournalOptions): JournalParts["found"] | undefined {
  const found = file.replay(options);
  file.cut(found?.length ?? 0);
  if (found?.missingNewline) file.write("\n");
  return found;
}

function begin(file: JournalFile, options: JournalOptions): JournalParts["found"] {
  const { rows, name, key, input } = options;
  const { text, crc } = encodeLine({ kind: "begin", rows, name, key, input }, 0);
  file.write(text);
  return { rows: new RowStates(rows), key, isFinished: false, crc };
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
 * The name of the journal of an input at a service: a hash of `content`, the SHA-256 of its bytes in
 * hexadecimal digits, and of the base URL, whose last slashes make no difference (contract.md, Bulk).
 */
export function journalName(content: string, baseUrl: URL): string {
  const base = baseUrl.origin + baseUrl.pathname.replace(/\/+$/, "");
  const hash = createHash("sha256").update(`pets bulk journal\n${content}\n${base}`);
  return hash.digest("hex").slice(0, hexDigits);
}

/** Makes `folder` (mode 0700); answers those whose entries have to be synced for it to outlast a power loss. */
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

/** Writes the entries of `folder` to the disk, where the system knows how to. Throws where the disk fails. */
function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, "r");
    fsyncSync(fd);
  } catch (error) {
    // Windows opens no folders, and some file systems sync none.
    if (["EIO", "ENOSPC", "EDQUOT"].some((code) => isSystemError(error, code))) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
