import {
  argumentName,
  type ArgumentDefinition,
  type Block,
  type CommandModel,
  formsOf,
  type OptionDefinition,
  type ProgramModel,
  type Term,
  type Values,
} from "../core/command-line.ts";
import { readMarkdown } from "./markdown.ts";
import { type CommandPath, usageOf } from "./sections.ts";

/** Returns all that help says, for programs: made of the same definitions and topics. */
export async function helpAsJson(program: ProgramModel, version: string): Promise<object> {
  const { topics } = await import("./topics/index.ts");
  const errors = readMarkdown(topics["exit-codes"]);
  return {
    name: program.name,
    version,
    summary: program.summary,
    globalOptions: program.globalOptions.map((option) => optionJson(option, program)),
    commands: (program.subcommands ?? []).map((child) => commandJson(child, [program, child])),
    environment: termsBelow(readMarkdown(topics.environment), "Environment variables").map(
      ([name, meaning]) => ({ name, meaning }),
    ),
    exitCodes: termsBelow(errors, "Exit codes").map(([code, meaning]) => ({
      code: Number(code),
      meaning,
    })),
    errorCodes: termsBelow(errors, "Error codes").map(([code, meaning]) => ({ code, meaning })),
    topics: Object.entries(program.topics).map(([name, summary]) => ({ name, summary })),
  };
}

/** Returns the terms of the first table below a heading. */
function termsBelow(blocks: readonly Block[], heading: string): readonly Term[] {
  const start = blocks.findIndex(
    (block) => typeof block === "object" && "heading" in block && block.heading === heading,
  );
  const table = blocks.slice(start).find((block) => typeof block === "object" && "terms" in block);
  return typeof table === "object" && "terms" in table ? table.terms : [];
}

function commandJson(command: CommandModel, path: CommandPath): object {
  const { name, aliases = [], group, summary, columns = [], subcommands = [] } = command;
  return {
    name,
    aliases,
    group,
    summary,
    usage: usageOf(path),
    isDefault: command.isDefault,
    arguments: (command.arguments ?? []).filter(({ hidden }) => !hidden).map(argumentJson),
    options: (command.options ?? [])
      .filter(({ hidden }) => !hidden)
      .map((option) => optionJson(option, command)),
    fields: columns.map(({ field }) => field),
    commands: subcommands.map((child) => commandJson(child, [...path, child])),
    examples: command.examples.map(({ line }) => line),
  };
}

function argumentJson(argument: ArgumentDefinition): object {
  const { syntax, description, values } = argument;
  return {
    name: argumentName(argument),
    required: syntax.startsWith("<"),
    repeats: syntax.includes("..."),
    description,
    values: wordsOf(values),
  };
}

function optionJson(option: OptionDefinition, command: CommandModel): object {
  const { flags, description, group, values, needs, excludes } = option;
  const { long, short } = formsOf(option);
  const fields = command.columns?.map(({ field }) => field);
  return {
    name: long,
    short,
    value: /<(.*)>/.exec(flags)?.[1],
    description,
    group,
    values: values?.kind === "fields" ? fields : wordsOf(values),
    default: option.default ?? /\(default:? (.*)\)$/.exec(description)?.[1],
    repeats: option.repeats,
    needs,
    excludes,
  };
}

function wordsOf(values: Values | undefined): readonly string[] | undefined {
  return values !== undefined && "words" in values ? values.words : undefined;
}
