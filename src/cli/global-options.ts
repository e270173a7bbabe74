import type { Command } from "commander";

/** Whether an option with these flags, such as `-q, --quiet`, is wanted. */
export type OptionFilter = (flags: string) => boolean;

const options = [
  ["--profile <name>", "use this profile"],
  ["--base-url <url>", "talk to the service at this address"],
  ["-o, --output <format>", "table, json, ndjson, csv or tsv"],
  ["--json", "the same as --output json"],
  ["--fields <names>", "show these fields, in this order"],
  ["-q, --quiet", "no notes, warnings or progress"],
  ["-v, --verbose", "tell of each request and reply"],
  ["--no-color", "no colour"],
  ["--timeout <duration>", "give up on a request after this long (default 30s)"],
  ["--max-wait <duration>", "wait this long at most when told to (default 75s)"],
  ["--allow-http", "allow http: to other hosts than this one"],
] as const;
const versionFlags = "-V, --version";
const helpFlags = "-h, --help";

/**
 * Gives `command` and all below it the global options that are wanted. Every command gets them, rather
 * than the root alone: the root would take `--json` in `pets add --name --json` for its own.
 */
export function addGlobalOptions(command: Command, version: string, isWanted: OptionFilter): void {
  command.enablePositionalOptions().optionsGroup("Global options:");
  for (const [flags, meaning] of options) if (isWanted(flags)) command.option(flags, meaning);
  if (isWanted(versionFlags)) command.version(version, versionFlags, "print the version");
  if (isWanted(helpFlags)) command.helpOption(helpFlags, "print this help");
  else command.helpOption(false);
  for (const child of command.commands) addGlobalOptions(child, version, isWanted);
}

/**
 * Tells which options the words of a command line may name: where it names no others, a parser that
 * knows just these makes of it what one that knows all would, and is made in half the time.
 */
export function optionsMentionedIn(words: readonly string[]): OptionFilter {
  const hasShort = words.some((word) => word.startsWith("-") && word[1] !== "-");
  return (flags) => {
    const [names = ""] = flags.split(" <");
    const [first = "", second] = names.split(", ");
    const long = second ?? first;
    const isLong = (word: string): boolean => word === long || word.startsWith(`${long}=`);
    return (hasShort && second !== undefined) || words.some(isLong);
  };
}
