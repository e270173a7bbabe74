import { type CommandUnknownOpts, Help, type Option } from "@commander-js/extra-typings";
import { isGlobal } from "../config/settings.ts";
import { topicSummaries } from "../help/topics/names.ts";
import { findCommand } from "../help/tree.ts";

/** A word to offer, and a description of one line. */
interface Described {
  readonly name: string;
  readonly description: string;
}

/** What may be at the cursor. */
export type Completion =
  /** One of some words, which begin with what is there already. */
  | { readonly kind: "words"; readonly words: readonly Described[] }
  /** A file; the part before its name is already there. */
  | { readonly kind: "files"; readonly before: string };

/** Where the cursor is after some words of a command line. */
interface Position {
  readonly command: CommandUnknownOpts;
  /** The option whose value comes next. */
  readonly pending: Option | undefined;
  /** The arguments that were given. */
  readonly taken: readonly string[];
  /** Whether `--` was given: no option follows. */
  readonly hasEnded: boolean;
}

/** Returns what may follow `words` of a command line where `current` is typed. `profiles` returns their names. */
export function complete(
  program: CommandUnknownOpts,
  { words, current }: { readonly words: readonly string[]; readonly current: string },
  profiles: () => readonly string[],
): Completion {
  const { command, pending, taken, hasEnded } = positionAfter(program, words);
  const valuesOf = (option: Option, typed: Typed): Completion => {
    const [, name = ""] = /<(.*)>/.exec(option.flags) ?? [];
    const fields = command.configureHelp().columns?.map(({ field }) => field);
    const argChoices = option.long === "--fields" ? fields : option.argChoices;
    return valuesNamed(name, typed, argChoices, profiles);
  };
  if (pending) return valuesOf(pending, { text: current, before: "" });
  if (!hasEnded && isOption(current)) {
    const [name = "", text] = current.split(/=(.*)/s);
    const options = optionsOf(command);
    if (text === undefined) return offered(options.flatMap(formsOf), current);
    const option = options.find((each) => each.required && isCalled(each, name));
    return option === undefined ? nothing : valuesOf(option, { text, before: `${name}=` });
  }
  if (command.name() === "help") return offered(namesToHelp(program, taken), current);
  const argument =
    command.registeredArguments[taken.length] ??
    command.registeredArguments.find((each) => each.variadic);
  if (argument === undefined || argument.name() === "words")
    return offered(taken.length === 0 && !hasEnded ? subcommandsOf(command) : [], current);
  // What `pets serve` runs comes after `--`.
  if (argument.variadic && !hasEnded && taken.length > 0) return nothing;
  const typed = { text: current, before: "" };
  return valuesNamed(argument.name(), typed, argument.argChoices, profiles);
}

const nothing: Completion = { kind: "words", words: [] };

const isOption = (word: string): boolean => /^-[^\d]|^-$/.test(word);

function positionAfter(program: CommandUnknownOpts, words: readonly string[]): Position {
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

/** A value, and what is before it in the same word. */
interface Typed {
  readonly text: string;
  readonly before: string;
}

/** Completes a value by its choices, else by what it is called: `<file>`, `<profile>`. */
function valuesNamed(
  name: string,
  { text, before }: Typed,
  argChoices: readonly string[] | undefined,
  profiles: () => readonly string[],
): Completion {
  if (/\b(?:file|directory|command)\b/.test(name)) return { kind: "files", before };
  const values = argChoices ?? (name === "profile" ? profiles() : []);
  const words = values.map((value) => ({ name: before + value, description: "" }));
  return offered(words, before + text);
}

/** Returns what may follow `help` and the words after it: commands, and first topics too. */
function namesToHelp(program: CommandUnknownOpts, words: readonly string[]): readonly Described[] {
  const above = findCommand(program, words);
  if (above === undefined) return [];
  const commands = subcommandsOf(above);
  const topics = Object.entries(topicSummaries).map(([name, description]) => ({
    name,
    description,
  }));
  // A topic may have the name of a command.
  return above === program
    ? [...commands, ...topics.filter((topic) => commands.every(({ name }) => name !== topic.name))]
    : commands;
}

/** Returns the subcommands of a command under all their names. */
function subcommandsOf(command: CommandUnknownOpts): readonly Described[] {
  return command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].map((name) => ({ name, description: child.summary() })),
  );
}

function offered(words: readonly Described[], current: string): Completion {
  return { kind: "words", words: words.filter(({ name }) => name.startsWith(current)) };
}
