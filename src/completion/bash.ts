import { type CommandModel, commonEntries, type OptionModel, wordKinds } from "./model.ts";
import runtime from "./bash-runtime.bash";
import { singleQuote as quote } from "../core/shell-quote.ts";
import { kindName } from "./values.ts";

/** Returns the completion script of bash (3.2 or newer), which needs no other package. */
export function bashScript(models: readonly CommandModel[]): string {
  const common = commonEntries(models, (option) => [entryOf(option)]);
  return `# bash completion for pets; see \`pets completion --help\` for how to install it.
# shellcheck shell=bash

# Aliases would be expanded in what follows.
_pets_aliases=''
\\shopt -q expand_aliases && _pets_aliases=1
\\shopt -u expand_aliases

# Sets what may follow the words in $command. An option is its names, =, what it takes, and + if it
# may be given again.
_pets_command() {
  local common=${quote(common.join(" "))}
  subcommands='' options='' argument=''
  case $command in
${models.map((model) => commandCase(model, common)).join("\n")}
  esac
}

# Sets the words that $1 may be, whether they are a list, and what ends each.
_pets_words() {
  choices='' list='' end=' '
  case $1 in
${wordKinds(models).map(wordsCase).join("\n")}
    profiles) choices=$(_pets_profiles) || : ;;
  esac
}

${runtime}`;
}

function commandCase(model: CommandModel, common: readonly string[]): string {
  const { path, subcommands, options, argument } = model;
  const own = options.map(entryOf).filter((entry) => !common.includes(entry));
  const parts = [
    ...(subcommands.length === 0
      ? []
      : [`subcommands=${quote(subcommands.map(({ name }) => name).join(" "))}`]),
    ...(argument === undefined ? [] : [`argument=${kindName(argument)}`]),
    `options="${[...own, "$common"].join(" ")}"`,
  ];
  return `    ${quote(path)}) ${parts.join(" ")} ;;`;
}

function entryOf({ long, short, value, repeats }: OptionModel): string {
  const names = short === undefined ? long : `${long},${short}`;
  return `${names}${value === undefined ? "" : `=${kindName(value)}`}${repeats ? "+" : ""}`;
}

function wordsCase(kind: ReturnType<typeof wordKinds>[number]): string {
  const choices = `choices=${quote(kind.words.join(" "))}`;
  const list = kind.kind === "list" ? ` list=1 end=${quote(kind.end)}` : "";
  return `    ${kindName(kind)}) ${choices}${list} ;;`;
}
