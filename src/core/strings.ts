import { distance } from "fastest-levenshtein";
import { usageFailure } from "./errors.ts";

/** `text` where it has at most `length` UTF-16 units, else its beginning, ended by `…`. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

// Longer than anything that is looked for, and short enough to compare at once.
const longest = 100;

/** The candidate that is spelled most like `word`, upper and lower case alike; empty where there is none. */
export function closestMatch(word: string, candidates: readonly string[]): string {
  const sought = word.slice(0, longest).toLowerCase();
  const [first = "", ...others] = candidates;
  const difference = (candidate: string): number => distance(sought, candidate.toLowerCase());
  return others.reduce((best, next) => (difference(next) < difference(best) ? next : best), first);
}

/** The same, where it is so like `word` that it may have been meant: half of it at least is right. */
export function closeMatch(word: string, candidates: readonly string[]): string | undefined {
  const best = closestMatch(word, candidates);
  const wrong = distance(word.slice(0, longest).toLowerCase(), best.toLowerCase());
  return wrong <= best.length / 2 ? best : undefined;
}

/**
 * That of `allowed` which `text` names. Throws a usage Failure that lists them; `name` is the flag or
 * the variable that it was given for.
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
