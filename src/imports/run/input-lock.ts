import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { orIoFailure, usageFailure } from "../../core/errors.ts";
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

/** Throws a usage Failure if an earlier build has recorded this input in a journal, which is not read. */
export function refuseOldJournal(state: string, input: string): void {
  const folder = path.join(state, "bulk");
  const list = (): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
  const names = orIoFailure(`cannot read ${folder}`, list);
  const journal = names.find((each) => each.startsWith(input) && each.endsWith(".journal"));
  if (journal === undefined) return;
  throw usageFailure(
    `an earlier version of pets recorded this input in ${path.join(folder, journal)}, which this version cannot read`,
    "Nothing was sent; its animals may have been added. Use --again to send all of them.",
  );
}
