import {
  argumentName,
  type ArgumentDefinition,
  camelCase,
  type CommandModel,
  formsOf,
  type OptionDefinition,
  optionName,
} from "../core/command-line.ts";
import { usageFailure } from "../core/errors.ts";
import { parseChoice } from "../core/strings.ts";

/** What was typed for a command: its arguments in their order, and its options by name. */
export interface TypedInput {
  readonly arguments: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Returns what `run` of a command gets: its options and arguments by name, parsed, with defaults. Throws a
 * usage Failure for the first that is wrong, and for options that can't be used together.
 */
export async function readInput(definition: CommandModel, typed: TypedInput): Promise<object> {
  const { options = [], arguments: taken = [] } = definition;
  const input: Record<string, unknown> = {};
  for (const [place, argument] of taken.entries()) {
    const name = argumentName(argument);
    await put(input, camelCase(name), typed.arguments[place], argument, `<${name}>`);
  }
  const given = givenOptions(options, typed.options);
  for (const option of options) checkUse(option, given);
  for (const option of options) {
    const flag = formsOf(option).long;
    await put(input, optionName(flag), valueOf(option, given.get(flag)), option, flag);
  }
  return input;
}

/** Returns the values of the options that were typed, each by its flag. */
function givenOptions(
  options: readonly OptionDefinition[],
  typed: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> {
  const found = options.map((option): [string, unknown] => {
    const flag = formsOf(option).long;
    const former = option.formerly && typed[optionName(option.formerly)];
    return [flag, typed[optionName(flag)] ?? former];
  });
  return new Map(
    found.filter(([flag, value]) => value !== undefined && value !== isNegative(flag)),
  );
}

function checkUse(option: OptionDefinition, given: ReadonlyMap<string, unknown>): void {
  const { needs, excludes = [] } = option;
  const flag = formsOf(option).long;
  if (!given.has(flag)) return;
  if (needs !== undefined && !given.has(needs)) throw usageFailure(`${flag} needs ${needs}`);
  const other = excludes.find((each) => given.has(each));
  if (other !== undefined) throw usageFailure(`${flag} and ${other} cannot be used together`);
}

/** Returns the one value of an option, or all if it repeats. Throws a usage Failure if one too many was typed. */
function valueOf(option: OptionDefinition, given: unknown): unknown {
  if (given === undefined) return option.default ?? unsetValue(option);
  if (option.once !== true || !Array.isArray(given)) return given;
  if (given.length > 1) throw usageFailure(`${formsOf(option).long} can be given only once`);
  return given[0];
}

/** Returns whether an option is `--no-…`, which the parser has as true unless it was typed. */
function isNegative(flag: string): boolean {
  return flag.startsWith("--no-");
}

/** Returns what an option is that was not typed: false, true for `--no-…`, an empty list, or undefined. */
function unsetValue({ flags, repeats }: OptionDefinition): unknown {
  if (repeats) return [];
  return flags.includes("<") ? undefined : isNegative(flags);
}

async function put(
  input: Record<string, unknown>,
  key: string,
  value: unknown,
  definition: OptionDefinition | ArgumentDefinition,
  name: string,
): Promise<void> {
  if (Array.isArray(value))
    input[key] = await Promise.all(value.map((text) => parsed(definition, text, name)));
  else if (value !== undefined) input[key] = await parsed(definition, value, name);
}

function parsed(
  { parse, values }: OptionDefinition | ArgumentDefinition,
  value: unknown,
  name: string,
): unknown {
  if (typeof value !== "string") return value;
  if (parse !== undefined) return parse(value, name);
  return values?.kind === "words" ? parseChoice(value, values.words, name) : value;
}
