import runtime from "./fish-runtime.fish";
import { type CommandModel, commonEntries, type OptionModel } from "./model.ts";
import { quoteForFish as quote } from "../core/shell-quote.ts";
import type { ValueKind } from "./values.ts";

/**
 * Returns the completion script of fish: to be sourced, or a file `pets.fish` in its folder of completions,
 * where fish adds nothing that it has generated from the man page.
 */
export function fishScript(models: readonly CommandModel[]): string {
  const common = commonEntries(models, (option) => [optionLine("", option)]);
  const own = models.flatMap((model) => ownLines(model, common));
  const valued = models.flatMap(({ options }) =>
    options.filter(({ value }) => value !== undefined).flatMap(formsOf),
  );
  return `# fish completion for pets; see \`pets completion --help\` for how to install it.

set -g __pets_line
set -g __pets_valued ${[...new Set(valued)].join(" ")}
set -g __pets_commands ${models.map(({ path }) => quote(path)).join(" ")}

${runtime}
complete -c pets -e
complete -c pets -f
${[...common, ...own].join("\n")}
`;
}

/** Returns the lines of one command that are not in `common`. */
function ownLines(model: CommandModel, common: readonly string[]): string[] {
  const { path, subcommands, options, argument } = model;
  const own = options.filter((option) => !common.includes(optionLine("", option)));
  const place = argument?.kind === "command" ? "__pets_inner" : "__pets_argument";
  const begin = `complete -c pets -n ${quote(`${place} ${quote(path)}`)}`;
  return [
    ...subcommands.map(({ name, description }) => `${begin} -a ${name} -d ${quote(description)}`),
    ...(argument === undefined ? [] : [`${begin} ${takes(argument)}`]),
    ...own.map((option) => optionLine(path, option)),
  ];
}

function optionLine(path: string, option: OptionModel): string {
  const { long, short, description, value, repeats } = option;
  const once = repeats ? [] : formsOf(option);
  const condition = ["__pets_option", quote(path), ...once].join(" ");
  return [
    `complete -c pets -n ${quote(condition)}`,
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    `-l ${long.slice(2)}`,
    ...(value === undefined ? [] : [takes(value)]),
    `-d ${quote(description)}`,
  ].join(" ");
}

function formsOf({ long, short }: OptionModel): string[] {
  return short === undefined ? [long] : [long, short];
}

/** Returns the part of a `complete` command that declares a value. */
function takes(values: ValueKind): string {
  if (values.kind === "words") return `-x -a ${quote(values.words.join(" "))}`;
  if (values.kind === "list")
    return `-x -a ${quote(`(__pets_list '${values.end}' ${values.words.join(" ")})`)}`;
  const ways = {
    free: "-x",
    files: "-r -F",
    profiles: "-x -a '(__pets_profiles)'",
    command: "-x -a '(__pets_complete_inner)'",
  } as const;
  return ways[values.kind];
}
