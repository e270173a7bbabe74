import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { createProgram } from "../commands/index.ts";
import { createRedactor } from "../commands/redact.ts";
import type { Runtime } from "../commands/runtime.ts";
import { completionText } from "../completion/complete.ts";
import { profileFile, storedNames } from "../config/profiles/stored-keys.ts";
import type { TypedOptions } from "../config/settings.ts";
import { shells } from "../core/enums.ts";
import { usageFailure } from "../core/errors.ts";
import { commandPath } from "../help/tree.ts";
import { isColored } from "../output/color.ts";
import { selectColumns } from "../output/columns.ts";
import { exitCodeOf, renderFailure } from "../output/failure.ts";
import { hasJsonErrors } from "../output/formats/index.ts";
import { programFolders } from "../platform/paths.ts";
import { createContext } from "./create-context.ts";
import { parseCommandLine } from "./program.ts";

/** How long a command may keep running after a termination signal. */
const shutdownGraceMs = 500;

/** Parses and runs the command line in `runtime`, prints any error, and returns the exit code. */
export async function runCommandLine(runtime: Runtime): Promise<number> {
  let typed: TypedOptions = {};
  try {
    if (runtime.argv[0] === "__complete") return await runComplete(runtime);
    const line = parseCommandLine(runtime);
    ({ typed } = line);
    if ("failure" in line) throw line.failure;
    const { command } = line.request;
    const context = createContext(runtime, typed, line.request);
    checkFields(command, context.settings.fields);
    try {
      return (await withSignalDeadline(line.request.run(context), runtime)) ?? 0;
    } finally {
      await context.service.close();
    }
  } catch (error) {
    return printFailure(error, runtime, typed);
  }
}

/** Throws a usage Failure for a name in `--fields` that the command has not. */
function checkFields(command: CommandUnknownOpts, fields: readonly string[] | undefined): void {
  const { columns } = command.configureHelp();
  if (columns !== undefined) selectColumns(columns, fields);
  else if (fields !== undefined)
    throw usageFailure(
      `--fields cannot be used with \`${commandPath(command)}\``,
      `See \`${commandPath(command)} --help\`.`,
    );
}

/** Prints what the script of a shell asks for by the hidden `pets __complete SHELL WORD… .CURRENT`. */
async function runComplete({ argv, env, program, stdout }: Runtime): Promise<number> {
  const [, name, ...words] = argv;
  const shell = shells.find((each) => each === name);
  if (shell === undefined) return 2;
  const profiles = () => storedNames(profileFile(programFolders(env, program.platform).config));
  await stdout.write(completionText(createProgram(), shell, words, profiles));
  return 0;
}

/** Returns the result of `run`; rejects with the signal's reason if `run` takes too long to end after a signal. */
async function withSignalDeadline<T>(run: Promise<T>, { signal, clock }: Runtime): Promise<T> {
  const ended = new Promise<never>((_resolve, reject) => {
    const end = (): void => {
      void clock.sleep(shutdownGraceMs).then(() => reject(signal.reason));
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  return Promise.race([run, ended]);
}

/** Prints an error that nothing caught while a command ran, and returns its exit code. */
export async function printUncaught(error: unknown, runtime: Runtime): Promise<number> {
  return printFailure(error, runtime, parseCommandLine(runtime).typed);
}

/** Prints `error` as the options that were typed, and may be wrong, ask for; returns its exit code; 0 for a broken pipe. */
export async function printFailure(
  error: unknown,
  runtime: Runtime,
  typed: TypedOptions,
): Promise<number> {
  const { env, stderr } = runtime;
  const text = await renderFailure(error, {
    json: hasJsonErrors(typed, env.PETS_OUTPUT),
    verbose: typed.verbose === true,
    color: isColored(env, stderr.isTTY, typed.color !== false),
    redact: createRedactor(runtime, typed),
    env,
  });
  await stderr.write(text);
  return exitCodeOf(error);
}
