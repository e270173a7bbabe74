import type { Runtime } from "../commands/runtime.ts";
import { maxWidth } from "../output/wrap.ts";

/** Runs a command line, prints any error, and returns the exit code. `--version` and `--help` load only this file. */
export async function runCli(runtime: Runtime): Promise<number> {
  try {
    const text = fastPathText(runtime);
    if (text === undefined) return await (await import("./run-command.ts")).runCommandLine(runtime);
    await runtime.stdout.write(text);
    return 0;
  } catch (error) {
    return (await import("./run-command.ts")).printFailure(error, runtime);
  }
}

/** Returns what `pets --version` and `pets --help` print; undefined for any other command line. */
function fastPathText({ argv, stdout, program }: Runtime): string | undefined {
  if (argv.length !== 1) return undefined;
  if (argv[0] === "--version" || argv[0] === "-V") return `${program.version}\n`;
  const isHelp = argv[0] === "--help" || argv[0] === "-h";
  return isHelp && (stdout.columns ?? maxWidth) >= maxWidth ? program.help : undefined;
}
