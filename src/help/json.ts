import { type Argument, type CommandUnknownOpts, type Option } from "@commander-js/extra-typings";
import { isGlobal } from "../config/settings.ts";
import { examplesOf } from "./command-help.ts";
import { tableBelow } from "./markdown.ts";
import { topicSummaries } from "./topics/names.ts";
import { wordsOf } from "./tree.ts";

/** Returns all that help says, for programs: read from the same commander objects and topics. */
export async function helpAsJson(program: CommandUnknownOpts, version: string): Promise<object> {
  const { topics } = await import("./topics/index.ts");
  return {
    name: program.name(),
    version,
    summary: program.description(),
    globalOptions: program
      .createHelp()
      .visibleOptions(program)
      .map((option) => optionJson(option, program)),
    commands: program.commands.map(commandJson),
    environment: tableBelow(topics.environment, "Environment variables").map(([name, meaning]) => ({
      name,
      meaning,
    })),
    exitCodes: tableBelow(topics["exit-codes"], "Exit codes").map(([code, meaning]) => ({
      code: Number(code),
      meaning,
    })),
    errorCodes: tableBelow(topics["exit-codes"], "Error codes").map(([code, meaning]) => ({
      code,
      meaning,
    })),
    topics: Object.entries(topicSummaries).map(([name, summary]) => ({ name, summary })),
  };
}

function commandJson(command: CommandUnknownOpts): object {
  const { columns = [] } = command.configureHelp();
  return {
    name: command.name(),
    aliases: command.aliases(),
    summary: command.summary(),
    usage: `${wordsOf(command)} ${command.usage()}`,
    arguments: command.registeredArguments
      .filter((argument) => command.usage().includes(argument.name()))
      .map(argumentJson),
    options: command.options
      .filter((option) => !option.hidden && !isGlobal(option))
      .map((option) => optionJson(option, command)),
    fields: columns.map(({ field }) => field),
    commands: command.commands.map(commandJson),
    examples: examplesOf(command),
  };
}

function argumentJson(argument: Argument): object {
  return {
    name: argument.name(),
    required: argument.required,
    repeats: argument.variadic,
    description: argument.description,
    values: argument.argChoices,
  };
}

function optionJson(option: Option, command: CommandUnknownOpts): object {
  const { long, short, flags, description, argChoices, defaultValue } = option;
  return {
    name: long,
    short,
    value: /<(.*)>/.exec(flags)?.[1],
    description,
    values:
      long === "--fields" ? command.configureHelp().columns?.map(({ field }) => field) : argChoices,
    default: defaultText(defaultValue) ?? /\(default: (.*)\)$/.exec(description)?.[1],
  };
}

function defaultText(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value);
}
