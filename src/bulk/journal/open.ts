import path from "node:path";
import { type Lock, tryLock } from "../../platform/sqlite-lock.ts";
import { journalLocked, journalIoFailure } from "./errors.ts";
import { JournalFile } from "./file.ts";
import { ensureFolder, syncFolder } from "./journal-folder.ts";
import { recordLine } from "./codec.ts";
import { RowStates } from "./row-states.ts";
import { journalFile } from "./journal-view.ts";
import { Journal, type JournalOptions, type JournalParts } from "./journal.ts";

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
  const { text, crc } = recordLine({ kind: "begin", rows, name, key, input }, 0);
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
