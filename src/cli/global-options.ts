import type { Command } from "commander";
import type { OptionDefinition } from "../commands/command.ts";
import { profiles, oneOf } from "../completion/values.ts";
import { outputFormats } from "../core/enums.ts";

const versionFlags = "-V, --version";
const helpFlags = "-h, --help";

/** The options of every command, in the order of the help. */
export const globalOptions: readonly OptionDefinition[] = [
  { flags: "--profile <name>", description: "use this profile", values: profiles },
  { flags: "--base-url <url>", description: "talk to the service at this address" },
  {
    flags: "-o, --output <format>",
    description: "table, json, ndjson, csv or tsv",
    values: oneOf("formats", outputFormats),
  },
  { flags: "--json", description: "the same as --output json" },
  {
    flags: "--fields <names>",
    description: "show these fields, in this order",
    values: { kind: "fields" },
  },
  { flags: "-q, --quiet", description: "no notes, warnings or progress" },
  { flags: "-v, --verbose", description: "tell of each request and reply" },
  { flags: "--no-color", description: "no colour" },
  {
    flags: "--timeout <duration>",
    description: "give up on a request after this long (default 30s)",
  },
  {
    flags: "--max-wait <duration>",
    description: "wait this long at most when told to (default 75s)",
  },
  { flags: "--allow-http", description: "allow http: to other hosts than this one" },
  { flags: versionFlags, description: "print the version" },
  { flags: helpFlags, description: "print this help" },
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
