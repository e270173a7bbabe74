import type { ChildProcess } from "node:child_process";
import { escapeControls } from "../../../core/sanitize.ts";
import { type ForwardedSignal, hasTerminal, type TerminationSignal } from "../../../platform/io.ts";
import type { Context } from "../../context.ts";
import { envLines } from "../banner.ts";
import { clientReport, describeUnreached } from "../client-report.ts";
import { openEnvFile, openReport } from "../output-file.ts";
import type { ChildCommand, ServeSettings } from "../settings/settings.ts";
import { type Service, startService } from "../start-service.ts";
import { clientEnvironment, withShim, writePathShim } from "./child-environment.ts";
import { runChild } from "./run-child.ts";

/**
 * Runs a command on a store of its own, and returns the command's exit code, or that of `--check` if the
 * command's is 0. No profile is read or written.
 */
export async function serveWithChild(
  context: Context,
  settings: ServeSettings,
  command: ChildCommand,
): Promise<number> {
  const isChecked = settings.check === true;
  const file = openReport(settings.report);
  const envFile = openEnvFile(settings.writeEnv);
  const isJudged = isChecked || file !== undefined;
  const service = await startService(context, settings, { isJudged });
  let code: number;
  try {
    envFile?.write(envLines(service));
    code = await runOnStore(context, service, command);
  } finally {
    await service.stop();
  }
  const report = clientReport(service.verdict("start"), service.steps());
  file?.write(report.json);
  if (!isChecked) {
    const unreached = describeUnreached(service.steps());
    if (unreached !== "") await context.warn(`no request reached ${unreached} of the script`);
    return code;
  }
  if (report.exitCode !== 0 || !context.settings.quiet) await context.stderr.write(report.text);
  return code === 0 ? report.exitCode : code;
}

/** Runs the command on our own standard streams, and forwards signals to it. Returns its exit code. */
async function runOnStore(
  context: Context,
  service: Service,
  command: ChildCommand,
): Promise<number> {
  const shim = writePathShim(context.program);
  let child: ChildProcess | undefined;
  // Installed before the child starts, because SIGQUIT and others would end this process alone.
  // Signals that arrive before the child has started are handled once it has.
  const release = forwardSignals(context, (signal) => child?.kill(signal));
  try {
    context.signal.throwIfAborted();
    const env = withShim(context, clientEnvironment(context, service), shim.folder);
    const started = (each: ChildProcess): void => void (child = each);
    const { code, problem } = await runChild(command, { stdio: "inherit", env }, started);
    if (problem !== undefined) await context.stderr.write(`pets: ${escapeControls(problem)}\n`);
    return code;
  } finally {
    release();
    shim.remove();
  }
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
