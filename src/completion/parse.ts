import {
  type CompletableCommand,
  type CompletableOption,
  type CompletableProgram,
  formsOf,
  optionsOf,
  subcommandOf,
} from "./model.ts";

/** Where the cursor is after some words of a command line. */
export interface Position {
  readonly command: CompletableCommand;
  /** What `help` names so far: commands below this one may follow. */
  readonly named: CompletableCommand | undefined;
  /** The long forms of the options that were given. */
  readonly given: ReadonlySet<string>;
  /** The option whose value comes next. */
  readonly pending: CompletableOption | undefined;
  /** How many arguments were given. */
  readonly taken: number;
  /** The number of the first word after `--`; undefined before it. */
  readonly inner: number | undefined;
}

/** Returns where the cursor is after `words`, which follow the name of the program. */
export function positionAfter(program: CompletableProgram, words: readonly string[]): Position {
  let at = start(program);
  for (const [place, word] of words.entries()) {
    // The command line after `pets serve --` may be one of pets itself.
    const isOwn = at.inner === place && takesCommand(at.command) && word === program.name;
    at = isOwn ? start(program) : step(program, at, word, place);
  }
  return at;
}

function start(program: CompletableProgram): Position {
  const nothing = { named: undefined, pending: undefined, inner: undefined };
  return { ...nothing, command: program, given: new Set(), taken: 0 };
}

/** Returns whether the arguments of `command` are a command line of another program. */
export function takesCommand({ arguments: [argument] = [] }: CompletableCommand): boolean {
  return argument?.values?.kind === "command";
}

function step(program: CompletableProgram, at: Position, word: string, place: number): Position {
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
  option: CompletableOption | undefined,
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
  options: readonly CompletableOption[],
  letters: string,
): Position {
  const { flags, valued, rest } = readCluster(options, letters);
  const after = flags.reduce((position, option) => withOption(position, option, true), at);
  return valued === undefined ? after : withOption(after, valued, rest !== "");
}

/** Returns the options of a cluster such as `-qo`, up to the first that takes a value, and what follows that. */
export function readCluster(options: readonly CompletableOption[], letters: string) {
  const flags: CompletableOption[] = [];
  for (const [place, letter] of letters.split("").entries()) {
    const option = options.find((each) => formsOf(each).short === `-${letter}`);
    if (option && formsOf(option).takesValue)
      return { flags, valued: option, rest: letters.slice(place + 1) };
    if (option) flags.push(option);
  }
  return { flags, valued: undefined, rest: "" };
}

function afterWord(program: CompletableProgram, at: Position, word: string): Position {
  const { command, named = program, taken } = at;
  if (command.arguments?.[0]?.values?.kind === "commands")
    return { ...at, named: subcommandOf(named, word) ?? { name: word, summary: "" } };
  const child = taken === 0 ? subcommandOf(command, word) : undefined;
  return child === undefined ? { ...at, taken: taken + 1 } : { ...at, command: child };
}
