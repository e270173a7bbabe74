import {
  type CommandModel,
  type Described,
  formsOf,
  namesOf,
  type OptionDefinition,
  type ProgramModel,
  type Values,
} from "../core/command-line.ts";
import { optionsOf, type Position, positionAfter, readCluster } from "./parse.ts";

/** What may be at the cursor. */
export type Completion =
  /** One of some words, which begin with what is there already; `nospace` if more may follow them. */
  | { readonly kind: "words" | "nospace"; readonly words: readonly Described[] }
  /** A file; the part before its name is already there. */
  | { readonly kind: "files"; readonly before: string };

const nothing: Completion = { kind: "words", words: [] };

/**
 * Returns what may follow `words` of a command line where `current` is typed. `profiles` returns the names of
 * the profiles.
 */
export function complete(
  program: ProgramModel,
  { words, current }: { readonly words: readonly string[]; readonly current: string },
  profiles: () => readonly string[],
): Completion {
  const at = positionAfter(program, words);
  const { command, pending, hasEnded, taken } = at;
  const values = valuesOf(command, profiles);
  if (pending) return values(pending.values, current, "");
  const options = optionsOf(command, program);
  if (!hasEnded && current.startsWith("--") && current.includes("="))
    return valueAfterEquals(options, current, values);
  if (!hasEnded && current.startsWith("-") && !/^-\d/.test(current))
    return optionsOrCluster(at, options, current, values);
  const [argument] = command.arguments ?? [];
  if (taken > 0 && !(hasEnded && argument?.syntax.includes("..."))) return nothing;
  if (argument?.values?.kind === "commands")
    return offered(namesToHelp(program, at, argument.values.others), current);
  if (argument) return values(argument.values, current, "");
  return offered(hasEnded ? [] : describedSubcommands(command), current);
}

/** Completes the value `text` after `before`, which is in the same word. */
type CompleteValue = (values: Values | undefined, text: string, before: string) => Completion;

function valuesOf({ columns }: CommandModel, profiles: () => readonly string[]): CompleteValue {
  return (values, text, before) => {
    const named = (names: readonly string[]): readonly Described[] =>
      fitting(
        names.map((name) => ({ name: before + name, description: "" })),
        before + text,
      );
    /** Offers the words that a comma-separated list does not have yet, each followed by `end`. */
    const listed = (words: readonly string[], end: string): Completion => {
      const head = text.slice(0, text.lastIndexOf(",") + 1);
      const left = words.filter((word) => !`,${head}`.includes(`,${word}${end || ","}`));
      return { kind: "nospace", words: named(left.map((word) => head + word + end)) };
    };
    if (values?.kind === "files") return { kind: "files", before };
    if (values?.kind === "profiles") return { kind: "words", words: named(profiles()) };
    if (values?.kind === "words") return { kind: "words", words: named(values.words) };
    if (values?.kind === "list") return listed(values.words, values.end);
    const isField = values?.kind === "fields" && columns !== undefined;
    return isField
      ? listed(
          columns.map(({ field }) => field),
          "",
        )
      : nothing;
  };
}

function valueAfterEquals(
  options: readonly OptionDefinition[],
  current: string,
  values: CompleteValue,
): Completion {
  const end = current.indexOf("=") + 1;
  const name = current.slice(0, end - 1);
  const option = options.find((each) => formsOf(each).long === name);
  const takesValue = option !== undefined && formsOf(option).takesValue;
  return takesValue ? values(option.values, current.slice(end), current.slice(0, end)) : nothing;
}

/** Completes `--st`, or the value in `-qojs`. */
function optionsOrCluster(
  { given }: Position,
  options: readonly OptionDefinition[],
  current: string,
  values: CompleteValue,
): Completion {
  const { valued, rest } = readCluster(options, current.startsWith("--") ? "" : current.slice(1));
  if (valued !== undefined && current.length > 2)
    return values(valued.values, rest, current.slice(0, current.length - rest.length));
  const left = options.filter((option) => option.repeats || !given.has(formsOf(option).long));
  const forms = left.flatMap((option) => {
    const { long, short } = formsOf(option);
    return [long, short].flatMap((name) => (name ? [{ ...option, name }] : []));
  });
  return offered(forms, current);
}

/** Returns what may follow `help` and the words after it: commands, and first `others`, the topics. */
function namesToHelp(
  program: ProgramModel,
  { named }: Position,
  others: readonly Described[],
): readonly Described[] {
  if (named !== undefined) return describedSubcommands(named);
  const commands = describedSubcommands(program);
  // A topic may have the name of a command.
  return [
    ...commands,
    ...others.filter((other) => commands.every(({ name }) => name !== other.name)),
  ];
}

/** Returns the subcommands of a command under all their names. */
function describedSubcommands({ subcommands = [] }: CommandModel): readonly Described[] {
  return subcommands.flatMap((child) =>
    namesOf(child).map((name) => ({ name, description: child.summary })),
  );
}

function offered(words: readonly Described[], current: string): Completion {
  return { kind: "words", words: fitting(words, current) };
}

function fitting(words: readonly Described[], current: string): readonly Described[] {
  const found = words.filter(({ name }) => name.startsWith(current));
  return found.map(({ name, description }) => ({ name, description }));
}
