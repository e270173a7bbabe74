import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { constants } from "node:os";
import { errorMessage, isSystemError } from "../../../core/errors.ts";
import type { ChildCommand } from "../settings/settings.ts";

/** The exit codes of a shell if a command is not found, and if it can't be run (POSIX.1, 2.8.2). */
const commandNotFound = 127;
const commandNotRunnable = 126;

/** Runs a command; `onStart` gets its process. Returns its exit code as a shell has it, 128 + n for a signal, and why it could not be run. */
export async function runChild(
  [file, ...args]: ChildCommand,
  options: SpawnOptions,
  onStart: (child: ChildProcess) => void,
): Promise<{ readonly code: number; readonly problem?: string }> {
  try {
    const child = spawn(file, args, options);
    onStart(child);
    return { code: await exitCode(child) };
  } catch (error) {
    if (isSystemError(error, "ENOENT") || file === "")
      return { code: commandNotFound, problem: `command not found: ${file}` };
    const problem = `the command cannot be run (${errorMessage(error)}): ${file}`;
    return { code: commandNotRunnable, problem };
  }
}

/** Returns the exit code of `child`; rejects if it could not be started. */
function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on("error", (error) => {
      // If it has a pid, it runs: it only could not be signalled, for example as another user's process.
      if (child.pid === undefined) reject(error);
    });
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
