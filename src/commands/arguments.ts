import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { pageSize } from "../core/api.ts";
import { usageFailure } from "../core/errors.ts";
import { formatCount } from "../core/format.ts";
import { isInteger } from "../core/int64.ts";
import { idSyntax, problemInName } from "../core/pet-fields.ts";
import { parseIntInRange, type Range } from "../core/strings.ts";
import { problemIn, type Syntax } from "../core/syntax.ts";

// Parsers of options and arguments for commander. They report an invalid value in our own words.

/** Returns a parser of the value of `name`, such as `--limit` or `the id`. It throws a usage Failure. */
export const parserOf =
  <T>(name: string, syntax: Syntax<T>) =>
  (text: string): T =>
    readText(name, syntax, text);

/** Returns such a parser by a function that returns undefined for what is not `allowed`. */
export const valueParser = <T>(
  name: string,
  allowed: string,
  parse: (text: string) => T | undefined,
) => parserOf(name, { parse, allowed: () => allowed });

/** Parses `text`, the value of `name`. Throws a usage Failure if it is not allowed, or empty. */
export function readText<T>(name: string, syntax: Syntax<T>, text: string): T;
export function readText<T>(name: string, syntax: Syntax<T>, text?: string): T | undefined;
export function readText<T>(name: string, syntax: Syntax<T>, text?: string) {
  if (text === undefined) return undefined;
  const meaning = text === "" ? undefined : syntax.parse(text);
  if (meaning === undefined) throw usageFailure(problemIn(name, syntax, text));
  return meaning;
}

/** Returns a parser that collects the values of an option that is typed more than once. */
export function collected<T>(parse: (text: string) => T) {
  return (text: string, earlier: readonly T[] = []): readonly T[] => [...earlier, parse(text)];
}

/** Returns the syntax of integers within `bounds`, in digits alone. */
export const countWithin = (bounds: Range): Syntax<number> => ({
  parse: (text) => parseIntInRange(text, bounds),
  allowed: (text) =>
    isInteger(text) ? `from ${bounds.min} to ${formatCount(bounds.max)}` : "an integer",
});

export const parseLimit = parserOf("--limit", countWithin(pageSize));

export const parseId = parserOf("the id", idSyntax);

/** Returns a parser of the value of `flag`, a file name. */
export const fileParser = (flag: string) => valueParser(flag, "a file name", String);

/** Returns a name typed as `what` unchanged, as the service does not trim it. Throws a usage Failure if it was hardly meant. */
export function parseName(what: string, text: string): string {
  const problem = problemInName(what, text);
  if (problem !== undefined) throw usageFailure(problem);
  return text;
}

/** Makes `command` refuse the options `names` without the one `needed`, as commander refuses those that conflict. */
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
