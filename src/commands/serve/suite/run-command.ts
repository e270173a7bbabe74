import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants } from "node:fs";
import { errorMessage } from "../../../core/errors.ts";
import type { Environment } from "../../../platform/io.ts";
import { openPrivateFile } from "../../../platform/private-files.ts";
import { endProcesses } from "../../../platform/process-tree.ts";
import type { Context } from "../../context.ts";

/** How long a command that is ended may take to stop, in ms. */
const stopGraceMs = 500;
/** The exit codes of a shell if a command is not found, and if it can't be run (POSIX.1, 2.8.2). */
const commandNotFound = 127;
const commandNotRunnable = 126;

/** A command, and how it is run. */
export interface CommandRun {
  readonly command: readonly [string, ...string[]];
  readonly env: Environment;
  /** The file for its output. */
  readonly log: string;
  readonly maxMs: number;
}

/**
 * Runs a command with its processes in a group of their own. Returns its exit code, 128 for a signal; null if it took
 * longer than `maxMs`: then all its processes are ended.
 */
export async function runCommand(
  { clock, signal, kill }: Context,
  { command: [file, ...args], env, log, maxMs }: CommandRun,
): Promise<number | null> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
  const fd = openPrivateFile(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  const done = new AbortController();
  try {
    const child = spawn(file, args, { env, detached: true, stdio: ["ignore", fd, fd] });
    const tooLong = clock.sleep(maxMs, AbortSignal.any([signal, done.signal])).then(
      () => null,
      () => null,
    );
    const code = await Promise.race([exitCode(child), tooLong]);
    if (code === null && child.pid !== undefined)
      await endProcesses({ pid: child.pid, isGroup: true }, kill, stopGraceMs);
    signal.throwIfAborted();
    return code;
  } finally {
    done.abort();
    closeSync(fd);
  }
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      const isMissing = errorMessage(error).includes("ENOENT");
      resolve(isMissing ? commandNotFound : commandNotRunnable);
    });
    child.once("exit", (code) => resolve(code ?? 128));
  });
}
