import { type CommandModel, type OptionModel, wordSources } from "./model.ts";
import { bashOffering } from "./bash-offering.ts";
import { bashReading } from "./bash-reading.ts";
import { singleQuote as quote } from "../output/text/shell-quote.ts";
import { sourceName } from "./values.ts";

/** The completion script of bash, from 3.2 on; it needs no package beside it. */
export function bashScript(models: readonly CommandModel[]): string {
  const common = commonOptions(models);
  return `# bash completion for pets; \`pets completion --help\` tells how to install it.
# shellcheck shell=bash

# Aliases would be expanded in what follows.
_pets_aliases=''
\\shopt -q expand_aliases && _pets_aliases=1
\\shopt -u expand_aliases

# Tells what may follow the words in $command. An option is its names, =, what it takes, and + where it
# may be given again.
_pets_command() {
  local common=${quote(common.join(" "))}
  subcommands='' options='' argument=''
  case $command in
${models.map((model) => commandCase(model, common)).join("\n")}
  esac
}

# Tells the words that $1 may be, whether they are a list, and what ends each.
_pets_words() {
  choices='' list='' end=' '
  case $1 in
${wordSources(models).map(wordsCase).join("\n")}
    profiles) choices=$(_pets_profiles) || : ;;
  esac
}
${bashReading}${bashOffering}`;
}

/** The options that all commands have, as the script writes them. */
function commonOptions(models: readonly CommandModel[]): string[] {
  const [first = [], ...others] = models.map(({ options }) => options.map(entryOf));
  return first.filter((entry) => others.every((entries) => entries.includes(entry)));
}

function commandCase(model: CommandModel, common: readonly string[]): string {
  const { path, subcommands, options, argument } = model;
  const own = options.map(entryOf).filter((entry) => !common.includes(entry));
  const parts = [
    ...(subcommands.length === 0
      ? []
      : [`subcommands=${quote(subcommands.map(({ name }) => name).join(" "))}`]),
    ...(argument === undefined ? [] : [`argument=${sourceName(argument)}`]),
    `options="${[...own, "$common"].join(" ")}"`,
  ];
  return `    ${quote(path)}) ${parts.join(" ")} ;;`;
}

function entryOf({ long, short, value, repeats }: OptionModel): string {
  const names = short === undefined ? long : `${long},${short}`;
  return `${names}${value === undefined ? "" : `=${sourceName(value)}`}${repeats ? "+" : ""}`;
}

function wordsCase(source: ReturnType<typeof wordSources>[number]): string {
  const choices = `choices=${quote(source.words.join(" "))}`;
  const list = source.kind === "list" ? ` list=1 end=${quote(source.end)}` : "";
  return `    ${source.name}) ${choices}${list} ;;`;
}
