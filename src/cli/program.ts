import { parseArgs } from "node:util";
import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Runtime } from "../commands/runtime.ts";
import { meaningElsewhere } from "../commands/unknown-command.ts";
import { misreadWord, optionElsewhere, wordElsewhere } from "../commands/unknown-option.ts";
import { resolveSettings, type Settings, type TypedOptions } from "../config/settings.ts";
import { type Failure, usageFailure } from "../core/errors.ts";
import { closeMatch } from "../core/strings.ts";
import { commandHelp } from "../help/command-help.ts";
import { commandTree, findCommand, commandPath } from "../help/tree.ts";
import { selectColumns } from "../output/columns.ts";

/**
 * Runs the command of `root` that `argv` names, once `start` has returned its settings, or prints help or the version.
 * Throws a usage Failure for a wrong line, which runs and prints nothing.
 */
export async function runProgram(
  root: CommandUnknownOpts,
  { argv, stdout, program }: Pick<Runtime, "argv" | "stdout" | "program">,
  start: (command: CommandUnknownOpts, typed: TypedOptions) => Pick<Settings, "fields">,
): Promise<void> {
  const prepare = (command: CommandUnknownOpts): void => {
    const misread = misreadWord(argv, command);
    if (misread !== undefined) throw misread;
    const typed = typedOptions(root);
    if (asksText(typed)) throw new CommanderError(0, "commander.help", "");
    checkFields(command, start(command, typed));
  };
  for (const each of commandTree(root)) {
    each.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
    // After the hooks of its own, which refuse options (`needing`); a command with subcommands has no action.
    if (each.commands.length === 0) each.hook("preAction", (_each, command) => prepare(command));
  }
  try {
    await root.parseAsync(argv, { from: "user" });
  } catch (error) {
    const [command, typed] = [typedCommand(root), typedOptions(root)];
    const misread = misreadWord(argv, command);
    if (misread !== undefined) throw misread;
    if (!(error instanceof CommanderError)) throw error;
    const isMissing = error.code === "commander.missingArgument";
    // Without a command, commander shows help as well.
    if (error.code !== "commander.help" && !(isMissing && asksText(typed)))
      throw refusal(error, command);
    checkFields(command, resolveSettings({ typed, env: {} }));
    const help = () => commandHelp(command, stdout.columns);
    await stdout.write(typed.version === true ? `${program.version}\n` : help());
  }
}

function asksText({ help, version }: TypedOptions): boolean {
  return help === true || version === true;
}

/** Throws a usage Failure for a name in `--fields` that the command has not. */
function checkFields(command: CommandUnknownOpts, { fields }: Pick<Settings, "fields">): void {
  const { columns } = command.configureHelp();
  if (columns !== undefined) selectColumns(columns, fields);
  else if (fields !== undefined)
    throw usageFailure(
      `--fields cannot be used with \`${commandPath(command)}\``,
      `See \`${commandPath(command)} --help\`.`,
    );
}

function typedOptions(root: CommandUnknownOpts): TypedOptions {
  const typed = commandTree(root).flatMap((command) =>
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === "cli"),
  );
  return Object.fromEntries(typed);
}

/** Returns the options of a line that commander may have refused at a wrong value: `--json` may come after it. */
export function typedDespite(argv: readonly string[], root: CommandUnknownOpts): TypedOptions {
  const options = commandTree(root).flatMap((command) => command.options);
  const known = options.map(({ long, short, required }) => [
    long?.slice(2),
    { type: required ? "string" : "boolean", ...(short && { short: short.slice(1) }) } as const,
  ]);
  const { values } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(known),
    strict: false,
  });
  const typed = options.flatMap((option) => {
    const value = values[option.long?.slice(2) ?? ""];
    return value === undefined ? [] : [[option.attributeName(), option.negate ? false : value]];
  });
  return Object.fromEntries(typed);
}

/** Returns an error of commander as a Failure, in its own words unless a word means something elsewhere. */
function refusal({ code, message }: CommanderError, command: CommandUnknownOpts): Failure {
  const help = `See \`${commandPath(command)} --help\`.`;
  const refuse = (what: string, suggestion?: string) =>
    usageFailure(what, ...(suggestion === undefined ? [help] : [suggestion, help]));
  const { commands, args, registeredArguments } = command;
  const [word = ""] = args;
  const isRoot = command.parent === null;
  const meaning = isRoot && code === "commander.unknownCommand" && meaningElsewhere(word);
  if (meaning) return refuse(`unknown command '${word}'; ${meaning}`);
  if (code === "commander.excessArguments" && commands.length > 0) {
    // Commander passes an unknown word to the default command, which takes none.
    const names = commands.map((each) => each.name());
    const meant = closeMatch(word, names);
    return refuse(`unknown command '${word}'`, meant && `(Did you mean ${meant}?)`);
  }
  if (code === "commander.excessArguments") {
    const extra = args[registeredArguments.length] ?? "";
    const meant = wordElsewhere(command, extra);
    return refuse(`unexpected argument ${JSON.stringify(extra)}${meant ? `; ${meant}` : ""}`);
  }
  // Commander's suggestion is on a line of its own.
  const [, what = message, suggestion] =
    /^error: ([^]*?)(?:\n(\(Did you mean .*\)))?$/.exec(message) ?? [];
  const [, wrong = ""] = /'([^]*)'/.exec(what) ?? [];
  const elsewhere = code === "commander.unknownOption" && optionElsewhere(command, wrong);
  if (elsewhere) return refuse(`${what}; ${elsewhere}`);
  return refuse(what, suggestion);
}

function typedCommand(root: CommandUnknownOpts): CommandUnknownOpts {
  const [word] = root.args;
  const next = word === undefined ? undefined : findCommand(root, [word]);
  return next === undefined ? root : typedCommand(next);
}
