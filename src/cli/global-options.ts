import type { Command } from "commander";
import type { InputOf } from "../commands/command.ts";
import { type OptionDefinition, oneOf, profiles } from "../core/command-line.ts";
import type { RawGlobals } from "../config/types.ts";
import { outputFormatNames } from "../output/formats/index.ts";

const versionFlags = "-V, --version";
const helpFlags = "-h, --help";

/** The options of every command, in the order of the help. */
export const globalOptions = [
  { flags: "--profile <name>", description: "use this profile", values: profiles },
  { flags: "--base-url <url>", description: "base URL of the service" },
  {
    flags: "-o, --output <format>",
    description: `output format: ${outputFormatNames.join(", ")} (default table)`,
    values: oneOf(outputFormatNames),
  },
  { flags: "--json", description: "same as --output json" },
  {
    flags: "--fields <names>",
    description: "print these fields, in this order (comma-separated)",
    values: { kind: "fields" },
  },
  { flags: "-q, --quiet", description: "print no notes, warnings or progress" },
  { flags: "-v, --verbose", description: "log each request and response to stderr" },
  { flags: "--no-color", description: "disable color" },
  {
    flags: "--timeout <duration>",
    description: "time limit for one request (default 30s)",
  },
  {
    flags: "--max-wait <duration>",
    description: "maximum total wait for rate limits per request (default 75s)",
  },
  { flags: "--allow-http", description: "allow http: to hosts other than this machine" },
  { flags: versionFlags, description: "print the version" },
  { flags: helpFlags, description: "show help" },
] as const satisfies readonly OptionDefinition[];

/** The options that the settings forgot, which does not compile then. */
type Forgotten = Exclude<
  keyof InputOf<typeof globalOptions>,
  keyof RawGlobals | "version" | "help"
>;

/**
 * Gives `command` and all below it the global options. Every command gets them, rather than the
 * root alone: the root would take `--json` in `pets add --name --json` for its own.
 */
export function addGlobalOptions(
  command: Command,
  version: [Forgotten] extends [never] ? string : { readonly forgotten: Forgotten },
): void {
  command.enablePositionalOptions();
  for (const { flags, description } of globalOptions) {
    if (flags === versionFlags) command.version(version, flags, description);
    else if (flags === helpFlags) command.helpOption(flags, description);
    else command.option(flags, description);
  }
  for (const child of command.commands) addGlobalOptions(child, version);
}
