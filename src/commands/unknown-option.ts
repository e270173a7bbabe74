import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { petStatuses } from "../core/enums.ts";
import { type Failure, usageFailure } from "../core/errors.ts";
import { closeMatch } from "../core/strings.ts";
import { commandPath } from "../help/tree.ts";

/** What people give `pets list`, and what it has in their place. */
const listMeanings: readonly (readonly [words: string, meaning: string])[] = [
  ["count max max-results number page-size per-page size top", "did you mean `--limit`?"],
  [
    "after all before category cursor desc filter from name next offset order order-by page pages paginate query reverse search skip sort sort-by start",
    "the service has no pages, order or search: it lists at most 100 animals (`--limit 100`), filtered only by `--status`",
  ],
];

/** Returns what an option that `command` does not have means there. */
export function optionElsewhere(command: CommandUnknownOpts, option: string): string | undefined {
  const name = option.replace(/^-+|=.*$/gs, "").toLowerCase();
  if (commandPath(command) !== "pets list") return undefined;
  return listMeanings.find(([words]) => words.split(" ").includes(name))?.[1];
}

/** Returns what a word that `command` does not take means there. */
export function wordElsewhere(command: CommandUnknownOpts, word: string): string | undefined {
  const status = commandPath(command) === "pets list" ? closeMatch(word, petStatuses) : undefined;
  return status && `did you mean \`--status ${status}\`?`;
}

/** Returns the Failure of a word of `argv` that was to be an option of `command`, but commander takes for something else. */
export function misreadWord(
  argv: readonly string[],
  command: CommandUnknownOpts,
): Failure | undefined {
  return takenForValue(argv, command) ?? withOtherDash(argv, command);
}

/** Of `--name -q` or `--name -qv`, where a variable of a script was empty; not of `--name=-q`. */
function takenForValue(argv: readonly string[], command: CommandUnknownOpts): Failure | undefined {
  const options = [command, command.parent ?? []].flat().flatMap((each) => each.options);
  const find = (word: string) => options.find(({ long, short }) => word === long || word === short);
  /** Behind a short option others may follow, or its value. */
  const isOption = (word: string): boolean => {
    if (word.startsWith("--")) return find(word.replace(/=.*$/s, "")) !== undefined;
    const short = word.startsWith("-") ? find(word.slice(0, 2)) : undefined;
    return (
      short !== undefined && (word.length === 2 || short.required || isOption(`-${word.slice(2)}`))
    );
  };
  for (const [at, name] of argv.entries()) {
    const option = find(name);
    const word = argv[at + 1] ?? "";
    if (name === "--") return undefined;
    if (option?.required !== true || (word !== "--" && !isOption(word))) continue;
    return usageFailure(
      `${name} has no value: ${JSON.stringify(word)} after it is an option`,
      option.long === "--name"
        ? `If it is a name, use \`--name=${word}\`.`
        : `See \`${commandPath(command)} --help\`.`,
    );
  }
  return undefined;
}

function withOtherDash(argv: readonly string[], command: CommandUnknownOpts): Failure | undefined {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  // After an unknown option words may be values.
  const word = command.args.find((each) => /^[\p{Pd}\u2212]/u.test(each)) ?? "";
  const [, dashes = "", name = ""] = /^([\p{Pd}\u2212]+)([^=]*)/u.exec(word) ?? [];
  if (/^-*$/.test(dashes) || !words.includes(word)) return undefined;
  const forms = command.options.flatMap(({ long, short }) => [long ?? "", short ?? ""]);
  const short = [`-${name}`].filter((form) => forms.includes(form) || /^-\d+$/.test(form));
  const [meant] = [...short, closeMatch(`--${name}`, forms)];
  const guess = meant === undefined ? "" : `; did you mean \`${meant}\`?`;
  return usageFailure(
    `${JSON.stringify(word)} begins with a dash that is not a hyphen${guess}`,
    `See \`${commandPath(command)} --help\`.`,
  );
}
