import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { escapeControls } from "../../core/sanitize.ts";
import {
  type Environment,
  type ForwardedSignal,
  hasTerminal,
  type TerminationSignal,
} from "../../platform/io.ts";
import { errorMessage, isSystemError } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { runningText } from "./banner.ts";
import { openReport, reportJson, reportText, unreachedSteps } from "./check.ts";
import { isRude, type Judge, startJudging } from "../../server/judge/judge.ts";
import { forgetLimits } from "./forget-limits.ts";
import { openEnvFile } from "./env-file.ts";
import { childEnvironment, writePathShim } from "./child-environment.ts";
import type { ServeSettings } from "./settings.ts";
import { type Service, startService } from "./start-service.ts";

/**
 * Runs a command on a store of its own, and returns the command's exit code, or 1 if its clients did not
 * pass `--check`. No profile is read or written.
 */
export async function serveWithChild(
  context: Context,
  settings: ServeSettings,
  command: readonly [string, ...string[]],
): Promise<number> {
  const report = settings.report === undefined ? undefined : openReport(settings.report);
  if (!settings.isChecked && report === undefined)
    return (await runOnStore(context, settings, command, undefined)).code;
  const judge = startJudging();
  const { code, steps } = await runOnStore(context, settings, command, judge);
  const verdict = judge.verdict("start");
  const unreached = unreachedSteps(steps);
  const isFailed = settings.isChecked && (isRude(verdict) || unreached.length > 0);
  if (settings.isChecked && (isFailed || !context.settings.quiet))
    await context.stderr.write(reportText(verdict, unreached));
  report?.write(`${reportJson(verdict)}\n`);
  return code === 0 && isFailed ? 1 : code;
}

async function runOnStore(
  context: Context,
  settings: ServeSettings,
  command: readonly [string, ...string[]],
  judge: Judge | undefined,
): Promise<{ readonly code: number; readonly steps: ReturnType<Service["steps"]> }> {
  const envFile = settings.envFile === undefined ? undefined : openEnvFile(settings.envFile);
  const service = await startService(context, settings, { judge });
  try {
    envFile?.append(service);
    const shim = writePathShim(context.program);
    try {
      if (context.settings.verbose) await context.stderr.write(runningText(service, command));
      context.signal.throwIfAborted();
      const env = childEnvironment(context, service, shim.folder);
      return { code: await runChild(context, command, env), steps: service.steps() };
    } finally {
      shim.remove();
    }
  } finally {
    await service.stop();
    if (settings.port === 0) forgetLimits(context, service);
  }
}

/** The exit codes of a shell if a command is not found, and if it can't be run (POSIX.1, 2.8.2). */
const commandNotFound = 127;
const commandNotRunnable = 126;

/**
 * Runs a command on our own standard streams, and forwards signals to it. Returns its exit code:
 * 128 + n for a signal, 127 and 126 as a shell does.
 */
async function runChild(
  context: Context,
  [file, ...args]: readonly [string, ...string[]],
  env: Environment,
): Promise<number> {
  let child: ChildProcess | undefined;
  // Installed before the child starts, because SIGQUIT and others would end this process alone.
  // Signals that arrive before the child has started are handled once it has.
  const release = forwardSignals(context, (signal) => child?.kill(signal));
  try {
    child = spawn(file, args, { stdio: "inherit", env });
    return await exitCode(child);
  } catch (error) {
    return await reportSpawnError(context, file, error);
  } finally {
    release();
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

/**
 * Calls `pass` for each signal that the command does not receive on its own, until the returned
 * function is called.
 */
function forwardSignals(
  context: Context,
  pass: (signal: TerminationSignal | ForwardedSignal) => void,
): () => void {
  const hear = (signal: TerminationSignal | ForwardedSignal): void => {
    // A terminal sends these to the command as well, and a second one would have a different meaning.
    const isKey = signal === "SIGINT" || signal === "SIGQUIT" || signal === "SIGWINCH";
    if (!isKey || !hasTerminal(context)) pass(signal);
  };
  const releases = [context.interceptSignals(hear), context.interceptForwarded(hear)];
  return () => {
    for (const release of releases) release();
  };
}

async function reportSpawnError(
  { stderr }: Context,
  file: string,
  error: unknown,
): Promise<number> {
  const isMissing = isSystemError(error, "ENOENT") || file === "";
  const what = isMissing
    ? "command not found"
    : `the command cannot be run (${errorMessage(error)})`;
  await stderr.write(`pets: ${escapeControls(`${what}: ${file}`)}\n`);
  return isMissing ? commandNotFound : commandNotRunnable;
}
