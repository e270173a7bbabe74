import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  type Environment,
  type ForwardedSignal,
  hasTerminal,
  type TerminationSignal,
} from "../../platform/io.ts";
import type { Context } from "../context.ts";
import { clientReport, describeUnreached } from "./client-report.ts";
import { openEnvFile, openReport } from "./output-file.ts";
import { writePathShim } from "./path-shim.ts";
import { printProblem, runChild } from "./run-child.ts";
import type { ChildCommand, ServeSettings } from "./settings.ts";
import { type Service, startService } from "./start-service.ts";

/** Runs a command on a new store. Returns the command's exit code, or that of `--check` if the command's is 0. */
export async function serveWithChild(
  context: Context,
  settings: ServeSettings,
  command: ChildCommand,
): Promise<number> {
  const file = openReport(settings.report);
  const envFile = openEnvFile(settings.writeEnv);
  const service = await startService(context, settings);
  // The command goes on, and gets 503: it may have more to do than to ask the store.
  let lostCode = 0;
  void service.lost?.then(({ message, exitCode }) => {
    lostCode = exitCode;
    return printProblem(context, { code: exitCode, problem: [message] });
  });
  let code: number;
  try {
    envFile?.write(service);
    code = await runOnStore(context, service, command);
  } finally {
    await service.stop();
  }
  const failed = code === 0 ? "" : `the command failed (exit code ${code})`;
  const problem = failed || (lostCode === 0 ? "" : "the store lost its data");
  code ||= lostCode;
  const report = clientReport(service.verdict("start"), service.steps(), problem);
  file?.write(report.json);
  if (!settings.check) {
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
  const shim = writePathShim(context);
  let child: ChildProcess | undefined;
  const forward = (signal: TerminationSignal | ForwardedSignal): void => {
    // A terminal sends these to the command as well, and a second one would have a different meaning.
    const isKey = signal === "SIGINT" || signal === "SIGQUIT" || signal === "SIGWINCH";
    if (!isKey || !hasTerminal(context)) child?.kill(signal);
  };
  // Before the child starts, because SIGQUIT and others would end this process alone; those that arrive earlier are
  // handled once it has started.
  const releases = [context.interceptSignals(forward), context.interceptForwarded(forward)];
  try {
    context.signal.throwIfAborted();
    const env = clientEnvironment(context, service, shim.folder);
    const started = (each: ChildProcess): void => void (child = each);
    const ended = await runChild(command, { stdio: "inherit", env }, started);
    await printProblem(context, ended);
    return ended.code;
  } finally {
    for (const release of releases) release();
    shim.remove();
  }
}

/** The PATH if none is set (POSIX `_CS_PATH`, and what admins install). */
const systemPath = "/usr/local/bin:/usr/bin:/bin";

/** Returns our environment for a client of one store, which it reaches and trusts; `pets` in `folder` is this program. */
export function clientEnvironment(
  { env, program }: Context,
  { baseUrl, keys, certificateToTrust }: Service,
  folder: string,
): Environment {
  const isWindows = program.platform === "win32";
  const name = Object.keys(env).find((key) => isWindows && /^path$/i.test(key)) ?? "PATH";
  const others = env[name] || (isWindows ? "" : systemPath);
  return {
    ...env,
    [name]: `${folder}${isWindows ? ";" : ":"}${others}`,
    ...withoutProxy(env, new URL(baseUrl).hostname),
    ...(certificateToTrust !== undefined && trust(env, certificateToTrust, folder)),
    PETS_PROFILE: undefined,
    PETS_LIMITER: undefined,
    PETS_LIMITER_PASSWORD: undefined,
    PETS_LIMITER_REQUIRED: undefined,
    PETS_BASE_URL: baseUrl,
    PETS_API_KEY: keys[0].apiKey,
  };
}

/** Returns the variables that exempt `host` where a proxy is set; many clients read only one of the two. */
function withoutProxy(env: Environment, host: string): Environment {
  const isProxied = Object.keys(env).some(
    (name) => /^(?:https?|all)_proxy$/i.test(name) && env[name],
  );
  if (!isProxied) return {};
  // Some want brackets around an IPv6 address, others none.
  const names = host.startsWith("[") ? [host, host.slice(1, -1)] : [host];
  const { NO_PROXY: upper, no_proxy: lower } = env;
  const add = (others = "") => [...(others ? [others] : []), ...names].join(",");
  return { NO_PROXY: add(upper || lower), no_proxy: add(lower || upper) };
}

/** Returns the variable with which Node trusts `certificate`, and what the user lets it trust. */
function trust(env: Environment, certificate: string, folder: string): Environment {
  try {
    const files = [env.NODE_EXTRA_CA_CERTS ?? "", certificate];
    const both = path.join(folder, "trusted.pem");
    writeFileSync(both, files.map((file) => readFileSync(file, "utf8")).join("\n"));
    return { NODE_EXTRA_CA_CERTS: both };
  } catch {
    // Node ignores a file that it cannot read.
    return { NODE_EXTRA_CA_CERTS: path.resolve(certificate) };
  }
}
