import {
  type CommandModel,
  formsOf,
  type OptionDefinition,
  type ProgramModel,
  subcommandOf,
} from "../core/command-line.ts";

/** Where the cursor is after some words of a command line. */
export interface Position {
  readonly command: CommandModel;
  /** What `help` names so far: commands below this one may follow. */
  readonly named: CommandModel | undefined;
  /** The long forms of the options that were given. */
  readonly given: ReadonlySet<string>;
  /** The option whose value comes next. */
  readonly pending: OptionDefinition | undefined;
  /** How many arguments were given. */
  readonly taken: number;
  /** Whether `--` was given: no option follows. */
  readonly hasEnded: boolean;
}

/** Returns where the cursor is after `words`, which follow the name of the program. */
export function positionAfter(program: ProgramModel, words: readonly string[]): Position {
  const start: Position = {
    command: program,
    named: undefined,
    given: new Set(),
    pending: undefined,
    taken: 0,
    hasEnded: false,
  };
  return words.reduce((at, word) => step(program, at, word), start);
}

function step(program: ProgramModel, at: Position, word: string): Position {
  if (at.pending !== undefined) return { ...at, pending: undefined };
  if (at.hasEnded) return { ...at, taken: at.taken + 1 };
  if (word === "--") return { ...at, hasEnded: true };
  const options = optionsOf(at.command, program);
  if (word.startsWith("--")) {
    const [name, value] = word.split("=");
    const option = options.find((each) => formsOf(each).long === name);
    return withOption(at, option, value !== undefined);
  }
  if (/^-[^0-9]/.test(word)) return afterCluster(at, options, word.slice(1));
  return afterWord(program, at, word);
}

function withOption(
  at: Position,
  option: OptionDefinition | undefined,
  hasValue: boolean,
): Position {
  if (option === undefined) return at;
  const { long, takesValue } = formsOf(option);
  return {
    ...at,
    given: new Set([...at.given, long]),
    pending: takesValue && !hasValue ? option : undefined,
  };
}

function afterCluster(
  at: Position,
  options: readonly OptionDefinition[],
  letters: string,
): Position {
  const { flags, valued, rest } = readCluster(options, letters);
  const after = flags.reduce((position, option) => withOption(position, option, true), at);
  return valued === undefined ? after : withOption(after, valued, rest !== "");
}

/** Returns the options of a cluster such as `-qo`, up to the first that takes a value, and what follows that. */
export function readCluster(options: readonly OptionDefinition[], letters: string) {
  const flags: OptionDefinition[] = [];
  for (const [place, letter] of letters.split("").entries()) {
    const option = options.find((each) => formsOf(each).short === `-${letter}`);
    if (option && formsOf(option).takesValue)
      return { flags, valued: option, rest: letters.slice(place + 1) };
    if (option) flags.push(option);
  }
  return { flags, valued: undefined, rest: "" };
}

function afterWord(program: ProgramModel, at: Position, word: string): Position {
  const { command, named = program, taken } = at;
  if (command.arguments?.[0]?.values?.kind === "commands")
    return { ...at, named: subcommandOf(named, word) ?? { name: word, summary: "", examples: [] } };
  const child = taken === 0 ? subcommandOf(command, word) : undefined;
  return child === undefined ? { ...at, taken: taken + 1 } : { ...at, command: child };
}

/** Returns the options of a command: its own, those of its default subcommand, and the global ones. */
export function optionsOf(
  { options = [], subcommands = [] }: CommandModel,
  { globalOptions }: ProgramModel,
): readonly OptionDefinition[] {
  const ofDefault = subcommands.find(({ isDefault }) => isDefault)?.options ?? [];
  return [...ofDefault, ...options, ...globalOptions].filter(({ hidden }) => !hidden);
}
