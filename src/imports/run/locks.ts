import { readdirSync } from "node:fs";
import path from "node:path";
import { orIoFailure, usageFailure } from "../../core/errors.ts";
import { ensurePrivateFolder, removeIf } from "../../platform/private-files.ts";
import { tryLock } from "../../platform/sqlite-lock.ts";
import type { NewImport } from "../database/import-records.ts";

/** Locks inputs, to send or forget them, until disposed. Throws a usage Failure if another process has one of them. */
export function lockInputs(
  state: string,
  inputs: readonly Pick<NewImport, "input" | "name">[],
  isForgetting = false,
): Disposable {
  const locks = new Map<string, Disposable>();
  const release = (): void => {
    for (const lock of locks.values()) lock[Symbol.dispose]();
  };
  for (const { input, name } of inputs) {
    const lock = locks.get(input) ?? tryInput(state, input);
    if (lock === undefined) {
      release();
      const how = isLocked(state, forgetLock(input)) ? "forgotten" : "imported";
      throw usageFailure(
        `${name} is being ${how} by another process`,
        "Run the command again when that has finished.",
      );
    }
    locks.set(input, lock);
    const forgetting = isForgetting ? tryInput(state, forgetLock(input)) : undefined;
    if (forgetting !== undefined) locks.set(forgetLock(input), forgetting);
  }
  return { [Symbol.dispose]: release };
}

const forgetLock = (input: string): string => `${input}.forget`;

/** Returns the inputs that other processes have, and removes the locks that killed ones left. */
export function runningInputs(state: string, own: string): readonly string[] {
  const inputs = readdirSync(lockFolder(state)).flatMap(
    (name) => /^([0-9a-f]{32})\.lock$/.exec(name)?.[1] ?? [],
  );
  return inputs.filter((input) => input !== own && isLocked(state, input));
}

function isLocked(state: string, input: string): boolean {
  try {
    using lock = tryInput(state, input, 0);
    return lock === undefined;
  } catch {
    // It belongs to another user.
    return false;
  }
}

function tryInput(state: string, input: string, timeoutMs?: number): Disposable | undefined {
  const file = path.join(lockFolder(state), `${input}.lock`);
  const lock = orIoFailure(
    `cannot lock ${file}`,
    () => tryLock(file, timeoutMs),
    "If it is damaged, remove it.",
  );
  const release = (): void => {
    removeIf(file, () => true);
    lock?.release();
  };
  return lock && { [Symbol.dispose]: release };
}

function lockFolder(state: string): string {
  const folder = path.join(state, "imports");
  ensurePrivateFolder(folder);
  return folder;
}
