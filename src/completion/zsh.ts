import type { CommandModel, Described, OptionModel } from "./model.ts";
import { singleQuote as quote } from "../output/text/shell-quote.ts";
import type { ValueKind } from "./values.ts";
import { zshFunctions } from "./zsh-functions.ts";

/** The completion script of zsh: to be sourced, or a file `_pets` in a folder of `$fpath`. */
export function zshScript(models: readonly CommandModel[]): string {
  const common = commonSpecs(models);
  return `#compdef pets
# zsh completion for pets; \`pets completion --help\` tells how to install it.

# Aliases would be expanded in what follows.
[[ ! -o aliases ]] || _pets_aliases=1
'builtin' 'setopt' 'no_aliases'

# Tells what _arguments is to know of the command $1, and its subcommands; fails for an unknown one.
_pets_specs() {
  specs=(
${common.map((spec) => `    ${spec}`).join("\n")}
  )
  case $1 in
${models.map((model) => commandCase(model, common)).join("\n")}
    (*) return 1 ;;
  esac
}
${zshFunctions}`;
}

/** The specifications that all commands have. */
function commonSpecs(models: readonly CommandModel[]): string[] {
  const [first = [], ...others] = models.map(({ options }) => options.flatMap(optionSpecs));
  return first.filter((spec) => others.every((specs) => specs.includes(spec)));
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

/** A word for `_describe`, which takes what is behind the first colon for its meaning. */
function describedWord({ name, description }: Described): string {
  return quote(`${name}:${description}`);
}

/** What `_arguments` is told of an option: one word for each of its forms. */
function optionSpecs({ long, short, description, value, repeats }: OptionModel): string[] {
  const forms = short === undefined ? [long] : [short, long];
  const others = repeats ? "*" : forms.length > 1 ? `(${forms.join(" ")})` : "";
  return forms.map((form) => {
    const end = value === undefined ? "" : form === long ? "=" : "+";
    const takes = value === undefined ? "" : `:${long.slice(2)}:${actionOf(value)}`;
    return quote(`${others}${form}${end}[${escapeExplanation(description)}]${takes}`);
  });
}

/** What stands between `[` and `]` of a specification, where a backslash makes a character itself. */
function escapeExplanation(text: string): string {
  return text.replace(/[\\\]:]/g, "\\$&");
}

function argumentSpec(source: ValueKind): string {
  const place = source.kind === "command" ? "*:" : "1:";
  return quote(`${place}:${"name" in source ? source.name : "value"}:${actionOf(source)}`);
}

function actionOf(source: ValueKind): string {
  if (source.kind === "words") return `(${source.words.join(" ")})`;
  if (source.kind === "list")
    return ` _pets_list "${source.end.replace(":", "\\:")}" ${source.words.join(" ")}`;
  const actions = {
    free: " ",
    files: "_files",
    profiles: " _pets_profiles",
    command: " _pets_inner",
  } as const;
  return actions[source.kind];
}
