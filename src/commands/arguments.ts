import { pageSize } from "../core/api.ts";
import { parseIntInRange, type Range } from "../core/strings.ts";
import { usageFailure } from "../core/errors.ts";
import { parseInt64 } from "../core/int64.ts";
import { petRules } from "../core/pet-fields.ts";
import { brokenIdRule, isEmptyName } from "../core/pet-fields.ts";

/** Returns the page size that `text` spells. Throws a usage Failure. */
export function parseLimit(text: string, name: string): number {
  return parseCount(text, name, pageSize);
}

/**
 * Returns the whole number that `text`, the value of the option `name`, spells in digits alone. Throws
 * a usage Failure if it is out of `bounds`.
 */
export function parseCount(text: string, name: string, bounds: Range): number {
  const number = parseIntInRange(text, bounds);
  if (number !== undefined) return number;
  const allowed = `a whole number from ${bounds.min} to ${bounds.max}`;
  throw usageFailure(`${name} must be ${allowed}, not ${quote(text)}`);
}

/**
 * Returns the int64 that `text`, the value of the option or argument `name`, spells:
 * `-?(0|[1-9][0-9]*)`. Throws a usage Failure.
 */
export function parseId(text: string, name: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw usageFailure(`${name} ${brokenIdRule(text)}, not ${quote(text)}`);
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
