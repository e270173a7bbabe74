import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { type Failure, usageFailure } from "../core/errors.ts";
import { closeMatch } from "../core/strings.ts";
import { commandPath } from "../help/tree.ts";

/** What people give `pets list`, and what it has in their place. */
const listMeanings: readonly (readonly [words: string, meaning: string])[] = [
  ["count max max-results number page-size per-page size top", "did you mean --limit?"],
  [
    "after all before category cursor desc filter from name next offset order order-by page pages paginate query reverse search skip sort sort-by start",
    "the service has no pages, order or search: it lists at most 100 animals (`--limit 100`), filtered only by --status",
  ],
];

/** Returns what an option that `command` does not have means there. */
export function optionElsewhere(command: CommandUnknownOpts, option: string): string | undefined {
  const name = option.replace(/^-+|=.*$/gs, "").toLowerCase();
  if (commandPath(command) !== "pets list") return undefined;
  return listMeanings.find(([words]) => words.split(" ").includes(name))?.[1];
}

/** Returns the Failure of a word of `argv` that was to be an option of `command`, but commander takes for something else. */
export function misreadWord(
  argv: readonly string[],
  command: CommandUnknownOpts,
): Failure | undefined {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  return takenForValue(words, command) ?? withOtherDash(words, command);
}

/** Of `--name -q`, where a variable of a script was empty; not of `--name=-q`. */
function takenForValue(words: readonly string[], command: CommandUnknownOpts): Failure | undefined {
  const options = [command, command.parent ?? []].flat().flatMap((each) => each.options);
  const find = (word = "") => {
    const form = word.replace(/=.*$/s, "");
    return options.find(({ long, short }) => form === long || form === short);
  };
  for (const [at, name] of words.entries()) {
    const option = find(name);
    const word = words[at + 1];
    if (option?.required !== true || name.includes("=") || find(word) === undefined) continue;
    return usageFailure(
      `${name} has no value: ${JSON.stringify(word)} after it is an option`,
      `If it is the value, use \`${option.long}=${word}\`.`,
    );
  }
  return undefined;
}

function withOtherDash(words: readonly string[], command: CommandUnknownOpts): Failure | undefined {
  // After an unknown option words may be values.
  const word = command.args.find((each) => /^[\p{Pd}\u2212]/u.test(each)) ?? "";
  const [, dashes = "", name = ""] = /^([\p{Pd}\u2212]+)([^=]*)/u.exec(word) ?? [];
  if (/^-*$/.test(dashes) || !words.includes(word)) return undefined;
  const forms = command.options.flatMap(({ long, short }) => [long ?? "", short ?? ""]);
  const short = [`-${name}`].filter((form) => forms.includes(form) || /^-\d+$/.test(form));
  const [meant] = [...short, closeMatch(`--${name}`, forms)];
  const guess = meant === undefined ? "" : `; did you mean ${meant}?`;
  return usageFailure(
    `${JSON.stringify(word)} begins with a dash that is not a hyphen${guess}`,
    `See \`${commandPath(command)} --help\`.`,
  );
}
