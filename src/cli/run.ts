import type { Runtime } from "../commands/context.ts";
import type { RawGlobals } from "../config/types.ts";
import { BrokenPipe } from "../core/errors.ts";
import { maxWidth } from "../help/render-text.ts";
import type { Environment } from "../platform/io.ts";

/** How long a command that was told to end may take to say how it ended, in ms. */
const shutdownGraceMs = 500;

/**
 * Runs one command line in `world`, prints what goes wrong, and answers the exit code
 * (contract.md, Exit codes).
 */
export async function runCli(world: Runtime): Promise<number> {
  let globals: RawGlobals = {};
  try {
    const known = fastPathText(world);
    if (known !== undefined) {
      await world.stdout.write(known);
      return 0;
    }
    const { parseCommandLine } = await import("./program.ts");
    const outcome = parseCommandLine(world);
    if ("text" in outcome) {
      await world.stdout.write(await outcome.text());
      return 0;
    }
    ({ globals } = outcome);
    if ("failure" in outcome) throw outcome.failure;
    const { createContext } = await import("./create-context.ts");
    const context = createContext(world, outcome);
    return (await withSignalDeadline(outcome.run(context), world)) ?? 0;
  } catch (error) {
    if (error instanceof BrokenPipe) return 0;
    return printFailure(error, world, globals);
  }
}

/** What answers `pets --version` and `pets --help` alone, before anything else is loaded. */
function fastPathText({ argv, stdout, program }: Runtime): string | undefined {
  if (argv.length !== 1) return undefined;
  if (argv[0] === "--version" || argv[0] === "-V") return `${program.version}\n`;
  const isHelp = argv[0] === "--help" || argv[0] === "-h";
  return isHelp && (stdout.columns ?? maxWidth) >= maxWidth ? program.help : undefined;
}

/** What `run` answers, or the signal's reason when it was told to end and does not say how. */
async function withSignalDeadline<T>(run: Promise<T>, { signal, clock }: Runtime): Promise<T> {
  const ended = new Promise<never>((_resolve, reject) => {
    const end = (): void => {
      const late = clock.sleep(shutdownGraceMs, new AbortController().signal);
      void late.then(() => reject(signal.reason));
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  return Promise.race([run, ended]);
}

/** Prints an error that nobody caught while a command ran, and answers its exit code. */
export async function printInternalError(error: unknown, world: Runtime): Promise<number> {
  const { parseCommandLine } = await import("./program.ts");
  const outcome = parseCommandLine(world);
  return printFailure(error, world, "globals" in outcome ? outcome.globals : {});
}

/** Prints what went wrong, as the options typed ask for it, and answers its exit code. */
async function printFailure(error: unknown, world: Runtime, globals: RawGlobals): Promise<number> {
  const { exitCodeOf, renderFailure } = await import("../output/failure.ts");
  const { isColored } = await import("../output/color.ts");
  const typed = errorDisplayOptions(globals, world.env);
  const { isTTY } = world.stderr;
  const text = await renderFailure(error, {
    ...typed,
    color: isColored(world.env, isTTY, typed.color),
  });
  await world.stderr.write(text);
  return exitCodeOf(error);
}

/** What a failure's rendering needs to know of what was typed, also where it is wrong. */
export interface ErrorDisplay {
  readonly json: boolean;
  readonly verbose: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
}

const jsonFormats = new Set(["json", "ndjson"]);

/** How an error is to look, by options that may not have been checked yet. */
export function errorDisplayOptions(globals: RawGlobals, env: Environment): ErrorDisplay {
  const format = globals.json === true ? "json" : (globals.output ?? env.PETS_OUTPUT ?? "");
  return {
    json: jsonFormats.has(format),
    verbose: globals.verbose ?? false,
    color: globals.color ?? true,
  };
}
