import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  closeSync,
  constants,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { errorMessage, ioFailure, orIoFailure } from "../../core/errors.ts";
import { ensurePrivateFolder, openPrivateFile } from "../../platform/private-files.ts";
import type { Context } from "../context.ts";
import type { Program } from "../runtime.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;

/** The descriptor on which a store in the background sends what it printed, once it is ready. */
const readyFd = 3;

/** Runs this command line again in the background. Returns its exit code if its store can't start. Throws an io Failure. */
export async function startDetached(context: Context): Promise<number> {
  const { program, argv, env, folders, machine, signal } = context;
  const log = path.join(folders.state, `serve-starting-${machine.pid}.log`);
  const open = (): number => {
    ensurePrivateFolder(folders.state);
    rmSync(log, { force: true });
    return openPrivateFile(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
  };
  const hint = "To keep it elsewhere, set XDG_STATE_HOME.";
  const fd = orIoFailure(`the log ${log} cannot be written`, open, hint);
  try {
    const stdio = ["ignore", fd, fd, "pipe"] as const;
    const options = { detached: true, env, stdio: [...stdio] };
    const started = startProgram(program, [...argv, "--detached", log], options);
    const child = await started.finally(() => closeSync(fd));
    const abort = (): void => void child.kill();
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    const ready = child.stdio[readyFd];
    const sent = ready instanceof Readable ? await text(ready) : "";
    // From here on a signal leaves the store running.
    signal.removeEventListener("abort", abort);
    if (sent === "" || signal.aborted) {
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      signal.throwIfAborted();
      await context.stderr.write(readFileSync(log, "utf8"));
      return child.exitCode || 1;
    }
    child.unref();
    const { stderr, stdout } = JSON.parse(sent);
    await context.stderr.write(stderr);
    await context.stdout.write(stdout);
    return 0;
  } finally {
    rmSync(log, { force: true });
  }
}

/** Starts this program with `words`. Throws an io Failure. */
async function startProgram(
  { node, script }: Program,
  words: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const program = script === undefined ? [node] : [node, script];
  try {
    for (const file of program) accessSync(file);
    const child = spawn(node, [...program.slice(1), ...words], options);
    await once(child, "spawn");
    return child;
  } catch (error) {
    throw ioFailure(`cannot start ${program.join(" ")}: ${errorMessage(error)}`, error);
  }
}

/** Returns the log of the background store at `port`, whose output goes to the file `started`. */
export function detachedLog({ folders }: Context, started: string, port: number) {
  const file = path.join(folders.state, `serve-${port}.log`);
  const problem = `the log ${file} cannot be written`;
  return {
    file,
    /** Sends what was logged so far, and `stdout`, to the command that started the store; then empties the log. Throws an io Failure. */
    announce: (stdout: string): void =>
      orIoFailure(problem, () => {
        const stderr = readFileSync(started, "utf8");
        renameSync(started, file);
        truncateSync(file);
        writeSync(readyFd, JSON.stringify({ stdout, stderr }));
        closeSync(readyFd);
      }),
    close: (): void =>
      orIoFailure(problem, () => {
        if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file);
      }),
  };
}
