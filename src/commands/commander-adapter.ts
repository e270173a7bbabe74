import type { Command } from "commander";
import type { RawGlobals } from "../config/types.ts";

/** The options typed at `command` and above it; what stands nearest to the command wins. */
export function explicitOptions(command: Command): RawGlobals {
  const above = command.parent === null ? {} : explicitOptions(command.parent);
  return { ...above, ...explicitOptionsOf(command) };
}

/**
 * The options typed anywhere in a command line that the parser may have refused. What was the value
 * of another option (`--name --json`) is none.
 */
export function explicitOptionsBelow(command: Command): RawGlobals {
  return Object.assign(explicitOptionsOf(command), ...command.commands.map(explicitOptionsBelow));
}

/** The command below `root` that the words typed lead to, as far as they lead. */
export function resolvedCommand(root: Command): Command {
  const [word] = root.args;
  const next = root.commands.find((command) => command.name() === word);
  return next === undefined ? root : resolvedCommand(next);
}

/** The command above all others, `command` itself where none is above it. */
export function rootCommand(command: Command): Command {
  return command.parent === null ? command : rootCommand(command.parent);
}

function explicitOptionsOf(command: Command): RawGlobals {
  const typed = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) === "cli",
  );
  return Object.fromEntries(typed);
}
