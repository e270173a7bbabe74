import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { orIoFailure, usageFailure } from "../../core/errors.ts";
import { ensurePrivateFolder, removeIf } from "../../platform/private-files.ts";
import { isLocked, tryLock } from "../../platform/sqlite-lock.ts";
import type { ImportDatabase } from "../database/database.ts";
import type { NewImport } from "../database/import-records.ts";

// An input is locked by the process that begins, sends, settles or removes an import of it. A dead process holds no lock.

type Input = Pick<NewImport, "input" | "name">;

/** Locks inputs until disposed. Throws a usage Failure if another process has one of them. */
export function lockInputs(state: string, inputs: readonly Input[]): Disposable {
  const locks = tryInputs(state, inputs);
  const [busy] = locks.busy;
  if (busy === undefined) return locks;
  locks[Symbol.dispose]();
  throw usageFailure(
    `another process is working on the import of ${busy.name}`,
    "Run the command again when that has finished.",
  );
}

/** Locks inputs until disposed, but for those that are `busy`: another process has them. */
export function tryInputs(state: string, inputs: readonly Input[]) {
  const locks = new Map<string, Disposable>();
  const busy = inputs.filter(({ input }) => {
    const lock = locks.get(input) ?? tryInput(state, input);
    if (lock !== undefined) locks.set(input, lock);
    return lock === undefined;
  });
  const release = (): void => {
    for (const lock of locks.values()) lock[Symbol.dispose]();
  };
  return { busy, [Symbol.dispose]: release };
}

/** Locks an input until disposed; returns undefined if another process has it. */
export function tryInput(state: string, input: string): Disposable | undefined {
  ensurePrivateFolder(lockFolder(state));
  const file = lockFile(state, input);
  const lock = orIoFailure(
    `cannot lock ${file}`,
    () => tryLock(file),
    "If it is damaged, remove it.",
  );
  const release = (): void => {
    removeIf(file, () => true);
    lock?.release();
  };
  return lock && { [Symbol.dispose]: release };
}

/** Looks which imports other processes work on, but for those of the input `own`: their rows are not in doubt. */
export function findRunning(database: ImportDatabase, own?: string): void {
  database.exec("DELETE FROM running");
  for (const input of lockFiles(database.folder))
    if (input !== own && isLocked(lockFile(database.folder, input)))
      database.run("INSERT INTO running SELECT id FROM imports WHERE input = ?", input);
}

/** Removes the files of locks that killed processes left before a time: who starts just now must not find one taken. */
export function removeStaleLocks(state: string, before: number): void {
  for (const input of lockFiles(state))
    try {
      const isStale = statSync(lockFile(state, input)).mtimeMs < before;
      if (isStale && !isLocked(lockFile(state, input))) tryInput(state, input)?.[Symbol.dispose]();
    } catch {
      // It is damaged, or belongs to another user: who needs it is told.
    }
}

/** Returns the inputs that are locked, or were. */
function lockFiles(state: string): readonly string[] {
  const folder = lockFolder(state);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => /^([0-9a-f]{32})\.lock$/.exec(name)?.[1] ?? []);
}

const lockFolder = (state: string): string => path.join(state, "imports");
const lockFile = (state: string, input: string): string =>
  path.join(lockFolder(state), `${input}.lock`);
