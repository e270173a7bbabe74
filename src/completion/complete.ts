import { type CommandUnknownOpts, Help, type Option } from "@commander-js/extra-typings";
import { isGlobal } from "../config/settings.ts";
import { planNames, type Shell } from "../core/enums.ts";
import { topicSummaries } from "../help/topics/names.ts";
import { findCommand } from "../help/tree.ts";

interface Described {
  readonly name: string;
  readonly description: string;
}

/** What may be at the cursor: words that begin with what is there already, or a file after this text. */
type Completion = readonly Described[] | string;

/**
 * Returns what the script of a shell reads: the kind of completion, then a line per candidate, with a tab and its
 * description. The last of `words` is that at the cursor, after a dot, so that no shell drops an empty one.
 */
export function completionText(
  program: CommandUnknownOpts,
  shell: Shell,
  words: readonly string[],
  profiles: () => readonly string[],
): string {
  const current = words.at(-1)?.slice(1) ?? "";
  const before = words.slice(0, -1);
  const isBash = shell === "bash";
  // After `>` or the like comes a file.
  if (isBash && /^(?:[<>]|>>|>\||&>>?)$/.test(before.at(-1) ?? "")) return "files \n";
  const line = isBash ? joinPieces([...before, current]) : { words: before, current, cut: 0 };
  const completion = complete(program, line, profiles);
  if (typeof completion === "string") return `files ${completion}\n`;
  const lines = completion
    .filter(({ name }) => name.length > line.cut)
    .map(({ name, description }) =>
      isBash || description === "" ? name.slice(line.cut) : `${name}\t${description}`,
    );
  return ["words", ...lines].map((each) => `${each}\n`).join("");
}

/** Returns words that bash broke at `=` and `:`, and how much of the last one is in pieces before it. */
function joinPieces(pieces: readonly string[]) {
  const words: string[] = [];
  let joins = false;
  let cut = 0;
  for (const piece of pieces) {
    const isBreak = piece !== "" && /^[=:]+$/.test(piece);
    const last = words.at(-1);
    if (last !== undefined && (isBreak || (joins && piece !== ""))) {
      cut = last.length + (isBreak ? piece.length : 0);
      words[words.length - 1] = last + piece;
    } else {
      cut = 0;
      words.push(piece);
    }
    joins = isBreak;
  }
  const current = (words.pop() ?? "").replace(/^["']/, "");
  return { words, current, cut };
}

/** Words for values that may be others, too, by what the values are called. */
const suggestions = new Map<string, readonly string[]>([
  ["plan", planNames],
  ["change", ["freeze", "run"]],
]);

/** Returns what may follow `words` of a command line where `current` is typed. `profiles` returns their names. */
function complete(
  program: CommandUnknownOpts,
  { words, current }: { readonly words: readonly string[]; readonly current: string },
  profiles: () => readonly string[],
): Completion {
  const { command, pending, taken, hasEnded } = positionAfter(program, words);
  const offer = (candidates: readonly Described[]) =>
    candidates.filter(({ name }) => name.startsWith(current));
  // Completes a value by its choices, else by what it is called: `<file>`, `<profile>`.
  const valuesOf = (name: string, choices?: readonly string[], before = ""): Completion => {
    if (/\b(?:file|directory|command)\b/.test(name)) return before;
    const values = choices ?? (name === "profile" ? profiles() : (suggestions.get(name) ?? []));
    return offer(values.map((value) => ({ name: before + value, description: "" })));
  };
  const optionValues = (option: Option, before = ""): Completion => {
    const [, name = ""] = /<(.*)>/.exec(option.flags) ?? [];
    if (option.long !== "--fields") return valuesOf(name, option.argChoices, before);
    const given = current.slice(before.length).split(",").slice(0, -1);
    const left = command
      .configureHelp()
      .columns?.filter(
        ({ field, alias = field }) => !given.includes(field) && !given.includes(alias),
      )
      .map(({ field }) => field);
    return valuesOf(name, left, before + given.map((each) => `${each},`).join(""));
  };
  if (pending) return optionValues(pending);
  if (!hasEnded && isOption(current)) {
    const [name = "", value] = current.split(/=(.*)/s);
    const options = optionsOf(command);
    if (value === undefined) return offer(options.flatMap(formsOf));
    const option = options.find((each) => each.required && isCalled(each, name));
    return option === undefined ? offer([]) : optionValues(option, `${name}=`);
  }
  if (command.name() === "help") return offer(namesToHelp(program, taken));
  const argument =
    command.registeredArguments[taken.length] ??
    command.registeredArguments.find((each) => each.variadic);
  if (argument === undefined || argument.name() === "words")
    return offer(taken.length === 0 && !hasEnded ? subcommandsOf(command) : []);
  // What `pets serve` runs comes after `--`.
  if (argument.variadic && !hasEnded && taken.length > 0) return offer([]);
  return valuesOf(argument.name(), argument.argChoices);
}

const isOption = (word: string): boolean => /^-[^\d]|^-$/.test(word);

/** Returns where the cursor is: at a value of the option `pending`, or after the arguments `taken`, and maybe after `--`. */
function positionAfter(program: CommandUnknownOpts, words: readonly string[]) {
  let command = program;
  let pending: Option | undefined;
  let hasEnded = false;
  const taken: string[] = [];
  for (const word of words) {
    const child = taken.length === 0 && !hasEnded ? findCommand(command, [word]) : undefined;
    if (pending !== undefined) pending = undefined;
    else if (!hasEnded && word === "--") hasEnded = true;
    else if (!hasEnded && word !== "-" && isOption(word))
      pending = optionsOf(command).find((each) => each.required && isCalled(each, word));
    else if (child === undefined) taken.push(word);
    else command = child;
  }
  return { command, pending, taken, hasEnded };
}

/** Returns the options of a command, and those of its default subcommand, which is the first one. */
function optionsOf(command: CommandUnknownOpts): readonly Option[] {
  const [first] = command.parent === null ? [] : command.commands;
  const own = first?.options.filter((option) => !option.hidden && !isGlobal(option)) ?? [];
  return [...own, ...new Help().visibleOptions(command)];
}

function isCalled({ long, short }: Option, name: string): boolean {
  return long === name || short === name;
}

function formsOf({ long, short, description }: Option): readonly Described[] {
  return [long, short].flatMap((name) => (name === undefined ? [] : [{ name, description }]));
}

/** Returns what may follow `help` and the words after it: commands, and first topics too. */
function namesToHelp(program: CommandUnknownOpts, words: readonly string[]): readonly Described[] {
  const above = findCommand(program, words);
  if (above === undefined) return [];
  const commands = subcommandsOf(above);
  if (above !== program) return commands;
  // A topic may have the name of a command.
  const isCommand = (topic: string): boolean => commands.some(({ name }) => name === topic);
  const topics = Object.entries(topicSummaries).filter(([topic]) => !isCommand(topic));
  return [...commands, ...topics.map(([name, description]) => ({ name, description }))];
}

function subcommandsOf(command: CommandUnknownOpts): readonly Described[] {
  return command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].map((name) => ({ name, description: child.summary() })),
  );
}
