import { spawn } from "node:child_process";
import { once } from "node:events";
import {
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
import { orIoFailure } from "../../core/errors.ts";
import { ensurePrivateFolder, openPrivateFile } from "../../platform/private-files.ts";
import type { Context } from "../context.ts";

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
  const script = program.script === undefined ? [] : [program.script];
  const child = spawn(program.node, [...script, ...argv, "--detached", log], {
    detached: true,
    env,
    stdio: ["ignore", fd, fd, "pipe"],
  });
  closeSync(fd);
  const abort = (): void => void child.kill();
  signal.addEventListener("abort", abort, { once: true });
  try {
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

/** Returns the log of the store at `port`, a store in the background, whose output goes to the file `started`. */
export function detachedLog({ folders }: Context, started: string, port: number) {
  const file = path.join(folders.state, `serve-${port}.log`);
  return {
    file,
    /** Sends what was logged so far, and `stdout`, to the command that started the store; then empties the log. */
    announce: (stdout: string): void => {
      const stderr = readFileSync(started, "utf8");
      renameSync(started, file);
      truncateSync(file);
      writeSync(readyFd, JSON.stringify({ stdout, stderr }));
      closeSync(readyFd);
    },
    close: (): void => {
      if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file);
    },
  };
}
