import { type Context, createContext, learnSecrets } from "../commands/context.ts";
import { createProgram, noContext } from "../commands/index.ts";
import type { Runtime } from "../commands/runtime.ts";
import { completionText } from "../completion/complete.ts";
import { profileFile, storedNames } from "../config/profiles/profile-file.ts";
import { shells } from "../core/enums.ts";
import { isColored } from "../output/color.ts";
import { exitCodeOf, renderFailure } from "../output/failure.ts";
import { hasJsonErrors } from "../output/formats/index.ts";
import { programFolders } from "../platform/paths.ts";
import { runProgram, typedDespite } from "./program.ts";

/** How long a command may keep running after a termination signal. */
const shutdownGraceMs = 500;

/** Runs the command line in `runtime`, and returns the exit code. */
export function runCommandLine(runtime: Runtime): Promise<number> {
  return runtime.argv[0] === "__complete" ? runComplete(runtime) : runCommand(runtime);
}

async function runCommand(runtime: Runtime): Promise<number> {
  let context: Context | undefined;
  const root = createProgram(() => context ?? noContext(), runtime.argv[0]);
  const running = runProgram(root, runtime, (command, typed) => {
    context = createContext(runtime, typed, command.configureHelp());
    return context.settings;
  });
  try {
    // A command that runs has its context by now.
    await (context === undefined ? running : withSignalDeadline(running, context));
    // A signal that came too late for the command still says what the shell is to do next.
    await new Promise((resolve) => setImmediate(resolve));
    if (context?.signal.aborted) return exitCodeOf(context.signal.reason);
    return context?.exitCode ?? 0;
  } finally {
    await context?.service.close();
  }
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
    const end = () => void clock.sleep(shutdownGraceMs).then(() => reject(signal.reason));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  return Promise.race([run, ended]);
}

/** Prints an error as the options that were typed ask for, right or wrong; returns its exit code, 0 for a broken pipe. */
export async function printFailure(error: unknown, runtime: Runtime): Promise<number> {
  const { argv, env, stderr, secrets } = runtime;
  const typed = typedDespite(argv, createProgram(noContext, argv[0]));
  learnSecrets(runtime, typed);
  const text = await renderFailure(error, {
    json: hasJsonErrors(typed, env.PETS_OUTPUT),
    verbose: typed.verbose === true,
    color: isColored(env, stderr.isTTY, typed.color !== false),
    redact: (message) => secrets.inMessage(message),
    env,
  });
  await stderr.write(text);
  return exitCodeOf(error);
}
