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
  /** The number of the first word after `--`; undefined before it. */
  readonly inner: number | undefined;
}

/** Returns where the cursor is after `words`, which follow the name of the program. */
export function positionAfter(program: ProgramModel, words: readonly string[]): Position {
  let at = start(program);
  for (const [place, word] of words.entries()) {
    // The command line after `pets serve --` may be one of pets itself.
    const isOwn = at.inner === place && takesCommand(at.command) && word === program.name;
    at = isOwn ? start(program) : step(program, at, word, place);
  }
  return at;
}

function start(program: ProgramModel): Position {
  const nothing = { named: undefined, pending: undefined, inner: undefined };
  return { ...nothing, command: program, given: new Set(), taken: 0 };
}

/** Returns whether the arguments of `command` are a command line of another program. */
export function takesCommand({ arguments: [argument] = [] }: CommandModel): boolean {
  return argument?.values?.kind === "command";
}

function step(program: ProgramModel, at: Position, word: string, place: number): Position {
  if (at.pending !== undefined) return { ...at, pending: undefined };
  if (at.inner !== undefined) return { ...at, taken: at.taken + 1 };
  if (word === "--") return { ...at, inner: place + 1 };
  const options = optionsOf(at.command, program);
  if (word.startsWith("--")) {
    const [name = ""] = word.split("=");
    const isWhole = word.includes("=");
    return withOption(
      at,
      options.find((option) => formsOf(option).long === name),
      isWhole,
    );
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
