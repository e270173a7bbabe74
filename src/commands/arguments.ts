import { type CommandUnknownOpts, InvalidArgumentError } from "@commander-js/extra-typings";
import { pageSize } from "../core/api.ts";
import { petStatuses } from "../core/enums.ts";
import { usageFailure } from "../core/errors.ts";
import { isInteger, parseInt64 } from "../core/int64.ts";
import { asPetStatus, brokenRule, type PetStatus, wrongTypedName } from "../core/pet-fields.ts";
import { isPlaceholder, parseIntInRange, type Range } from "../core/strings.ts";
import { mustBe, type Syntax } from "../core/syntax.ts";

// Parsers of options and arguments for commander, which says which value was wrong, and then what these throw.

function refuse(rule: string): never {
  throw new InvalidArgumentError(`It ${rule}.`);
}

/** Returns a parser by one that returns undefined for what is wrong: then it throws, saying what is `allowed`. */
export function parserOf<T>(allowed: string, parse: (text: string) => T | undefined) {
  return (text: string): T => parse(text) ?? refuse(`must be ${allowed}`);
}

/** Parses `text`, the value of `name`. Throws a usage Failure if it is not allowed, or empty. */
export function readText<T>(name: string, syntax: Syntax<T>, text: string): T;
export function readText<T>(name: string, syntax: Syntax<T>, text?: string): T | undefined;
export function readText<T>(name: string, { parse, allowed }: Syntax<T>, text?: string) {
  if (text === undefined) return undefined;
  const meaning = text === "" ? undefined : parse(text);
  if (meaning === undefined) throw usageFailure(mustBe(name, allowed(text), text));
  return meaning;
}

/** Returns a parser that collects the values of an option that is typed more than once. */
export function collected<T>(parse: (text: string) => T) {
  return (text: string, earlier: readonly T[] = []): readonly T[] => [...earlier, parse(text)];
}

/** Returns a parser of integers within `bounds`, in digits alone. */
export function countWithin(bounds: Range) {
  const range = `must be from ${bounds.min} to ${bounds.max}`;
  return (text: string): number =>
    parseIntInRange(text, bounds) ?? refuse(isInteger(text) ? range : "must be an integer");
}

export const parseLimit = countWithin(pageSize);

/** Returns the int64 that `text` spells: `-?(0|[1-9][0-9]*)`. */
export function parseId(text: string): bigint {
  const rule = brokenRule("categoryId", text);
  return (
    parseInt64(text) ?? refuse(isPlaceholder(text) ? `${rule}. Replace ${text} with one` : rule)
  );
}

/** Returns the status that `text` spells, in any case. Refuses another in commander's words. */
export function parseStatus(text: string): PetStatus {
  const found = asPetStatus(text.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`Allowed choices are ${petStatuses.join(", ")}.`);
}

export const parseFileName = parserOf("a file name", (text) => text || undefined);

/** Returns a name unchanged, as the service does not trim it. Refuses one that was hardly meant. */
export function parseName(text: string): string {
  if (isPlaceholder(text)) return refuse("must be a name in its place");
  const wrong = wrongTypedName(text);
  return wrong === undefined ? text : refuse(wrong);
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
