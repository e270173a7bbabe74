import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { isGlobal } from "../config/settings.ts";
import { facts } from "./facts.ts";
import { topicSummaries } from "./topics/names.ts";
import { commandPath } from "./tree.ts";

/** Returns all that help says, for programs: read from the same commander objects and facts. */
export function helpAsJson(program: CommandUnknownOpts, version: string): object {
  return {
    name: program.name(),
    version,
    summary: program.description(),
    globalOptions: program
      .createHelp()
      .visibleOptions(program)
      .map((option) => optionJson(option, program)),
    commands: program.commands.map(commandJson),
    environment: Object.entries(facts.variables).map(([name, meaning]) => ({ name, meaning })),
    exitCodes: Object.entries(facts["exit codes"]).map(([code, meaning]) => ({
      code: Number(code),
      meaning,
    })),
    errorCodes: Object.entries(facts["error codes"]).map(([code, meaning]) => ({ code, meaning })),
    topics: Object.entries(topicSummaries).map(([name, summary]) => ({ name, summary })),
  };
}

function commandJson(command: CommandUnknownOpts): object {
  const { columns = [], examples = [] } = command.configureHelp();
  return {
    name: command.name(),
    aliases: command.aliases(),
    summary: command.summary(),
    usage: `${commandPath(command)} ${command.usage()}`,
    arguments: command.registeredArguments
      .filter((argument) => command.usage().includes(argument.name()))
      .map((argument) => ({
        name: argument.name(),
        required: argument.required,
        repeats: argument.variadic,
        description: argument.description,
        values: argument.argChoices,
      })),
    options: command.options
      .filter((option) => !option.hidden && !isGlobal(option))
      .map((option) => optionJson(option, command)),
    fields: columns.map(({ field }) => field),
    commands: command.commands.map(commandJson),
    examples,
  };
}

function optionJson(option: Option, command: CommandUnknownOpts): object {
  const { long, short, flags, description, argChoices } = option;
  const value: unknown = option.defaultValue;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return {
    name: long,
    short,
    value: /<(.*)>/.exec(flags)?.[1],
    description,
    values:
      long === "--fields" ? command.configureHelp().columns?.map(({ field }) => field) : argChoices,
    default: text ?? /\(default: (.*)\)$/.exec(description)?.[1],
  };
}
