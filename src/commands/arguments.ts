import { pageSize } from "../core/api.ts";
import { usageFailure } from "../core/errors.ts";
import { parseInt64 } from "../core/int64.ts";
import { brokenRule, isEmptyName, petRules } from "../core/pet-fields.ts";
import { parseIntInRange, type Range } from "../core/strings.ts";

/**
 * Returns a parser of the values of options and arguments, by one that returns undefined for what is wrong: then it
 * throws a usage Failure that says what is `allowed`.
 */
export function parserOf<T>(allowed: string, parse: (text: string) => T | undefined) {
  return (text: string, name: string): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw usageFailure(`${name} must be ${allowed}, not ${quote(text)}`);
  };
}

/** Returns a parser of whole numbers within `bounds`, in digits alone. */
export function countWithin(bounds: Range) {
  const allowed = `a whole number from ${bounds.min} to ${bounds.max}`;
  return parserOf(allowed, (text) => parseIntInRange(text, bounds));
}

/** Returns the page size that `text` spells. Throws a usage Failure. */
export const parseLimit = countWithin(pageSize);

/**
 * Returns the int64 that `text`, the value of the option or argument `name`, spells:
 * `-?(0|[1-9][0-9]*)`. Throws a usage Failure.
 */
export function parseId(text: string, name: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw usageFailure(`${name} ${brokenRule("categoryId", text)}, not ${quote(text)}`);
}

/** Returns `text` itself: for a value of which completion knows some words, but not all. */
export function asTyped(text: string): string {
  return text;
}

/** Returns the name of a file unchanged. Throws a usage Failure if it is empty. */
export function parseFileName(text: string, name: string): string {
  if (text !== "") return text;
  throw usageFailure(`${name} must be a file name, not ""`);
}

/** Returns the name of an animal unchanged. Throws a usage Failure if it is blank. */
export function parseName(text: string, name: string): string {
  if (!isEmptyName(text)) return text;
  throw usageFailure(`${name} ${petRules.name}`);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
