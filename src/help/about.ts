import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Column } from "../output/columns.ts";

/** What commander has no place for. */
interface About {
  /** The columns of what the command prints: what `--fields` may name. */
  readonly columns?: readonly Column[];
  /** What is worth knowing besides arguments and options, in Markdown. */
  readonly notes?: string;
  /** Command lines to paste into a shell; the tests run each one (test/e2e/help-examples.test.ts). */
  readonly examples: readonly string[];
  /** Whether it runs without the settings, so that wrong ones can't stop it. */
  readonly skipsSettings?: true;
}

const abouts = new WeakMap<CommandUnknownOpts, About>();

/** Returns `command`, after noting what is to be known about it. */
export function withAbout<Known extends CommandUnknownOpts>(command: Known, about: About): Known {
  abouts.set(command, about);
  return command;
}

/** Returns what is known about `command` besides its commander object. */
export function aboutOf(command: CommandUnknownOpts): About {
  return abouts.get(command) ?? { examples: [] };
}

/** Returns a command and all below it, each before its own subcommands. */
export function commandTree(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(commandTree)];
}

/** Returns the words that lead to a command, as in `pets profile use`. */
export function wordsOf(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent === null ? command.name() : `${wordsOf(parent)} ${command.name()}`;
}

/** Returns the command that `names` lead to below `program`; undefined if there is none. */
export function findCommand(
  program: CommandUnknownOpts,
  names: readonly string[],
): CommandUnknownOpts | undefined {
  return names.reduce<CommandUnknownOpts | undefined>(
    (above, name) =>
      above?.commands.find((each) => each.name() === name || each.aliases().includes(name)),
    program,
  );
}
