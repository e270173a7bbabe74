import type { Command } from "commander";
import type { OptionDefinition } from "../core/command-line.ts";
import { settingOptions } from "../config/settings.ts";

const versionFlags = "-V, --version";
const helpFlags = "-h, --help";

/** The options of every command, in the order of the help. */
export const globalOptions: readonly OptionDefinition[] = [
  ...settingOptions("all"),
  { flags: versionFlags, description: "print the version" },
  { flags: helpFlags, description: "show help" },
];

/**
 * Gives `command` and all below it the global options. Every command gets them, rather than the
 * root alone: the root would take `--json` in `pets add --name --json` for its own.
 */
export function addGlobalOptions(command: Command, version: string): void {
  command.enablePositionalOptions();
  for (const { flags, description } of globalOptions) {
    if (flags === versionFlags) command.version(version, flags, description);
    else if (flags === helpFlags) command.helpOption(flags, description);
    else command.option(flags, description);
  }
  for (const child of command.commands) addGlobalOptions(child, version);
}
