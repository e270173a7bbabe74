import { type CommandUnknownOpts, InvalidArgumentError } from "@commander-js/extra-typings";
import { pageSize } from "../core/api.ts";
import { usageFailure } from "../core/errors.ts";
import { isInteger, parseInt64 } from "../core/int64.ts";
import { brokenRule, isEmptyName, petRules } from "../core/pet-fields.ts";
import { parseIntInRange, type Range } from "../core/strings.ts";

// Parsers of options and arguments for commander, which says which value was wrong, and then what these throw.

/** Returns a parser by one that returns undefined for what is wrong: then it throws, saying what is `allowed`. */
export function parserOf<T>(allowed: string, parse: (text: string) => T | undefined) {
  return (text: string): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be ${allowed}.`);
  };
}

/** Returns a parser that collects the values of an option that is typed more than once. */
export function collected<T>(parse: (text: string) => T) {
  return (text: string, earlier: readonly T[] | undefined): readonly T[] => [
    ...(earlier ?? []),
    parse(text),
  ];
}

/** Returns what `parse` makes of a text that commander does not parse; throws a usage Failure about `name` in its words. */
export function parsed<T>(name: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw usageFailure(`${name} '${text}' is invalid. ${error.message}`);
  }
}

/** Returns a parser of integers within `bounds`, in digits alone. */
export function countWithin(bounds: Range) {
  return (text: string): number => {
    const count = parseIntInRange(text, bounds);
    if (count !== undefined) return count;
    const range = isInteger(text) ? `from ${bounds.min} to ${bounds.max}` : "an integer";
    throw new InvalidArgumentError(`It must be ${range}.`);
  };
}

/** Returns the page size that `text` spells. */
export const parseLimit = countWithin(pageSize);

/** Returns the int64 that `text` spells: `-?(0|[1-9][0-9]*)`. */
export function parseId(text: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw new InvalidArgumentError(`It ${brokenRule("categoryId", text)}.`);
}

/** Returns `text` itself: for a value of which completion knows some words, but not all. */
export function asTyped(text: string): string {
  return text;
}

/** Returns the name of a file unchanged, unless it is empty. */
export const parseFileName = parserOf("a file name", (text) => text || undefined);

/** Returns the name of an animal unchanged, unless it is blank. */
export function parseName(text: string): string {
  if (!isEmptyName(text)) return text;
  throw new InvalidArgumentError(`It ${petRules.name}.`);
}

/**
 * Makes `command` refuse the options called `names` without the one called `needed`, as commander refuses those that
 * conflict.
 */
export function needing<Known extends CommandUnknownOpts>(
  command: Known,
  needed: string,
  names: readonly string[],
): Known {
  const option = (name: string) => command.options.find((each) => each.attributeName() === name);
  const isTyped = (name: string): boolean => command.getOptionValueSource(name) === "cli";
  for (const name of [needed, ...names])
    if (option(name) === undefined) throw new RangeError(`no option ${name}`);
  return command.hook("preAction", () => {
    const typed = names.find(isTyped);
    if (typed !== undefined && !isTyped(needed))
      command.error(
        `error: option '${option(typed)?.flags}' cannot be used without option '${option(needed)?.flags}'`,
      );
  });
}
