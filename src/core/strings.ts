import { distance } from "fastest-levenshtein";
import { usageFailure } from "./errors.ts";

/** Returns `text`, cut off with `…` if it is longer than `length` UTF-16 units. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

// Longer than any candidate, and short enough to compare fast.
const maxCompared = 100;

/** Returns the candidate spelled most like `word`, ignoring case; empty if there are no candidates. */
export function closestMatch(word: string, candidates: readonly string[]): string {
  const sought = word.slice(0, maxCompared).toLowerCase();
  const [first = "", ...others] = candidates;
  const difference = (candidate: string): number => distance(sought, candidate.toLowerCase());
  return others.reduce((best, next) => (difference(next) < difference(best) ? next : best), first);
}

/**
 * Returns the closest match if about half of it is right, so that the user may have meant it: two swapped
 * letters, which count as two errors, may be two of three.
 */
export function closeMatch(word: string, candidates: readonly string[]): string | undefined {
  const best = closestMatch(word, candidates);
  const wrong = distance(word.slice(0, maxCompared).toLowerCase(), best.toLowerCase());
  const allowed = Math.min(Math.ceil(best.length / 2), best.length - 1);
  return wrong <= allowed ? best : undefined;
}

/**
 * Returns `text` as one of `allowed`. Throws a usage Failure that lists them; `name` is the flag or
 * variable that it was given for.
 */
export function parseChoice<Allowed extends string>(
  text: string,
  allowed: readonly Allowed[],
  name: string,
): Allowed {
  const found = allowed.find((each) => each === text);
  if (found !== undefined) return found;
  throw usageFailure(`${name} must be one of ${allowed.join(", ")}, not ${JSON.stringify(text)}`);
}

/** Bounds of a whole number, from 1. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/**
 * Returns the number that `text` spells in digits alone, without a leading zero; undefined if it is
 * out of bounds.
 */
export function parseIntInRange(text: string, { min, max }: Range): number | undefined {
  const number = /^[1-9][0-9]*$/.test(text) ? Number(text) : 0;
  return number >= min && number <= max ? number : undefined;
}
