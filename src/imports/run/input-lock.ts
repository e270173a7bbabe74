import path from "node:path";
import { usageFailure } from "../../core/errors.ts";
import { ensurePrivateFolder, removeIf } from "../../platform/private-files.ts";
import { tryLock } from "../../platform/sqlite-lock.ts";
import type { ImportRecord } from "../database/import-records.ts";

/** An input at its base URL, and its name for people. */
type Input = Pick<ImportRecord, "input" | "name">;

/**
 * Locks inputs, to send or to forget them, until that is disposed or the process ends; `state` is the state directory.
 * Throws a usage Failure if another process has one of them.
 */
export function lockInputs(state: string, inputs: readonly Input[]): Disposable {
  const locks = new Map<string, Disposable>();
  const release = (): void => {
    for (const lock of locks.values()) lock[Symbol.dispose]();
  };
  try {
    for (const each of inputs)
      if (!locks.has(each.input)) locks.set(each.input, lockInput(state, each));
  } catch (error) {
    release();
    throw error;
  }
  return { [Symbol.dispose]: release };
}

function lockInput(state: string, { input, name }: Input): Disposable {
  const lock = tryInput(state, input);
  if (lock !== undefined) return lock;
  throw usageFailure(
    `${name} is being imported or forgotten by another process`,
    "Run the command again when that has finished.",
  );
}

function tryInput(state: string, input: string): Disposable | undefined {
  const file = path.join(state, "imports", `${input}.lock`);
  ensurePrivateFolder(path.dirname(file));
  const lock = tryLock(file);
  const release = (): void => {
    removeIf(file, () => true);
    lock?.release();
  };
  return lock && { [Symbol.dispose]: release };
}
