import { type CommandModel, commonEntries, type OptionModel } from "./model.ts";
import { singleQuote as quote } from "../core/shell-quote.ts";
import { type Described, kindName, type ValueKind } from "./values.ts";
import runtime from "./zsh-runtime.zsh";

/** Returns the completion script of zsh: to be sourced, or a file `_pets` in a folder of `$fpath`. */
export function zshScript(models: readonly CommandModel[]): string {
  const common = commonEntries(models, optionSpecs);
  return `#compdef pets
# zsh completion for pets; see \`pets completion --help\` for how to install it.

# Aliases would be expanded in what follows.
[[ ! -o aliases ]] || _pets_aliases=1
'builtin' 'setopt' 'no_aliases'

# Sets the specs of the command $1 for _arguments, and its subcommands; fails for an unknown one.
_pets_specs() {
  specs=(
${common.map((spec) => `    ${spec}`).join("\n")}
  )
  case $1 in
${models.map((model) => commandCase(model, common)).join("\n")}
    (*) return 1 ;;
  esac
}

${runtime}`;
}

function commandCase(model: CommandModel, common: readonly string[]): string {
  const { path, subcommands, options, argument } = model;
  const own = options.flatMap(optionSpecs).filter((spec) => !common.includes(spec));
  const specs = [...own, ...(argument === undefined ? [] : [argumentSpec(argument)])];
  const words = subcommands.map(describedWord);
  return [
    `    (${quote(path)})`,
    ...block("specs+=", specs),
    ...block("subcommands=", words),
    "      ;;",
  ].join("\n");
}

function block(assigned: string, words: readonly string[]): string[] {
  if (words.length === 0) return [];
  return [`      ${assigned}(`, ...words.map((word) => `        ${word}`), "      )"];
}

/** Returns a word for `_describe`: what follows the first colon is its meaning. */
function describedWord({ name, description }: Described): string {
  return quote(`${name}:${description}`);
}

/** Returns the specifications of an option for `_arguments`, one for each of its forms. */
function optionSpecs({ long, short, description, value, repeats }: OptionModel): string[] {
  const forms = short === undefined ? [long] : [short, long];
  const others = repeats ? "*" : forms.length > 1 ? `(${forms.join(" ")})` : "";
  return forms.map((form) => {
    const end = value === undefined ? "" : form === long ? "=" : "+";
    const takes = value === undefined ? "" : `:${long.slice(2)}:${actionOf(value)}`;
    return quote(`${others}${form}${end}[${escapeExplanation(description)}]${takes}`);
  });
}

/** Escapes the text between `[` and `]` of a specification. */
function escapeExplanation(text: string): string {
  return text.replace(/[\\\]:]/g, "\\$&");
}

function argumentSpec(values: ValueKind): string {
  const place = values.kind === "command" ? "*:" : "1:";
  return quote(`${place}:${"words" in values ? kindName(values) : "value"}:${actionOf(values)}`);
}

function actionOf(values: ValueKind): string {
  if (values.kind === "words") return `(${values.words.join(" ")})`;
  if (values.kind === "list")
    return ` _pets_list "${values.end.replace(":", "\\:")}" ${values.words.join(" ")}`;
  const actions = {
    free: " ",
    files: "_files",
    profiles: " _pets_profiles",
    command: " _pets_inner",
  } as const;
  return actions[values.kind];
}
