import path from "node:path";
import { usageFailure } from "../../core/errors.ts";
import { ensurePrivateFolder, removeIf } from "../../platform/private-files.ts";
import { tryLock } from "../../platform/sqlite-lock.ts";
import type { ImportRecord } from "../database/import-records.ts";

/** An input at its base URL, and its name for people. */
type Input = Pick<ImportRecord, "input" | "name">;

/** Locks an input until the process ends; `state` is the state directory. Throws a usage Failure if another run has it. */
export function lockInput(state: string, input: Input): Disposable {
  const lock = tryInput(state, input);
  if (lock !== undefined) return lock;
  throw usageFailure(
    `another run of this input is in progress (${input.name})`,
    "Run the command again when it has finished.",
  );
}

/** Returns whether a process is sending an input. */
export function isRunning(state: string, input: Input): boolean {
  using lock = tryInput(state, input);
  return lock === undefined;
}

function tryInput(state: string, { input }: Input): Disposable | undefined {
  const file = path.join(state, "imports", `${input}.lock`);
  ensurePrivateFolder(path.dirname(file));
  const lock = tryLock(file);
  const release = (): void => {
    removeIf(file, () => true);
    lock?.release();
  };
  return lock && { [Symbol.dispose]: release };
}
