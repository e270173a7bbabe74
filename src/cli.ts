import type { RawGlobals } from "./config/types.ts";
import type { World } from "./context.ts";
import { ReaderGone } from "./errors.ts";
import { widest } from "./help/plain.ts";

/** How long a command that was told to end may take to say how it ended, in ms. */
const endGrace = 500;

/**
 * Runs one command line in `world`, prints what goes wrong, and answers the exit code
 * (contract.md, Exit codes).
 */
export async function runCli(world: World): Promise<number> {
  let globals: RawGlobals = {};
  try {
    const known = knownText(world);
    if (known !== undefined) {
      await world.stdout.write(known);
      return 0;
    }
    const { readArguments } = await import("./program.ts");
    const outcome = readArguments(world);
    if ("text" in outcome) {
      await world.stdout.write(await outcome.text());
      return 0;
    }
    ({ globals } = outcome);
    if ("failure" in outcome) throw outcome.failure;
    const { makeContext } = await import("./make-context.ts");
    const context = makeContext(world, outcome);
    return (await untilEnded(outcome.run(context), world)) ?? 0;
  } catch (error) {
    if (error instanceof ReaderGone) return 0;
    return printFailure(error, world, globals);
  }
}

/** What answers `pets --version` and `pets --help` alone, before anything else is loaded. */
function knownText({ argv, stdout, program }: World): string | undefined {
  if (argv.length !== 1) return undefined;
  if (argv[0] === "--version" || argv[0] === "-V") return `${program.version}\n`;
  const isHelp = argv[0] === "--help" || argv[0] === "-h";
  return isHelp && (stdout.columns ?? widest) >= widest ? program.help : undefined;
}

/** What `run` answers, or the signal's reason when it was told to end and does not say how. */
async function untilEnded<T>(run: Promise<T>, { signal, clock }: World): Promise<T> {
  const ended = new Promise<never>((_resolve, reject) => {
    const end = (): void => {
      const late = clock.sleep(endGrace, new AbortController().signal);
      void late.then(() => reject(signal.reason));
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  return Promise.race([run, ended]);
}

/** Prints an error that nobody caught while a command ran, and answers its exit code. */
export async function printFault(error: unknown, world: World): Promise<number> {
  const { readArguments } = await import("./program.ts");
  const outcome = readArguments(world);
  return printFailure(error, world, "globals" in outcome ? outcome.globals : {});
}

/** Prints what went wrong, as the options typed ask for it, and answers its exit code. */
async function printFailure(error: unknown, world: World, globals: RawGlobals): Promise<number> {
  const { exitCodeOf, renderFailure } = await import("./output/failure.ts");
  const { typedForErrors } = await import("./typed-for-errors.ts");
  const { isColored } = await import("./output/color.ts");
  const typed = typedForErrors(globals, world.env);
  const { isTTY } = world.stderr;
  const text = await renderFailure(error, {
    ...typed,
    color: isColored(world.env, isTTY, typed.color),
  });
  await world.stderr.write(text);
  return exitCodeOf(error);
}
