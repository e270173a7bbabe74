import type { Runtime } from "../commands/context.ts";
import { completeCommand } from "../completion/answer.ts";
import { isColored } from "../output/color.ts";
import { selectColumns } from "../output/columns.ts";
import { exitCodeOf, renderFailure } from "../output/failure.ts";
import { hasJsonErrors } from "../output/formats/index.ts";
import { runComplete } from "./complete.ts";
import { createContext } from "./create-context.ts";
import { keyRedaction } from "./key-redaction.ts";
import { parseCommandLine, type TypedOptions } from "./program.ts";

/** How long a command may keep running after a termination signal, in ms. */
const shutdownGraceMs = 500;

/** Parses and runs the command line in `runtime`, prints any error, and returns the exit code. */
export async function runCommandLine(runtime: Runtime): Promise<number> {
  let typed: TypedOptions = {};
  try {
    if (runtime.argv[0] === completeCommand) return await runComplete(runtime);
    const line = parseCommandLine(runtime);
    ({ typed } = line);
    if ("failure" in line) throw line.failure;
    if ("text" in line) {
      await runtime.stdout.write(line.text);
      return 0;
    }
    const context = createContext(runtime, line.request);
    const { columns } = line.request.command.configureHelp();
    // Throws for an unknown name in `--fields`.
    if (columns !== undefined) selectColumns(columns, context.settings.fields);
    try {
      return (await withSignalDeadline(line.request.run(context), runtime)) ?? 0;
    } finally {
      await context.close();
    }
  } catch (error) {
    return printFailure(error, runtime, typed);
  }
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
    redact: keyRedaction(runtime, typed),
    env,
  });
  await runtime.stderr.write(text);
  return exitCodeOf(error);
}
