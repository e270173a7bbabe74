import { distance } from "fastest-levenshtein";

// Longer than anything that is looked for, and short enough to compare at once.
const longest = 100;

/** The candidate that is spelled most like `word`, upper and lower case alike; empty where there is none. */
export function nearest(word: string, candidates: readonly string[]): string {
  const sought = word.slice(0, longest).toLowerCase();
  const [first = "", ...others] = candidates;
  const difference = (candidate: string): number => distance(sought, candidate.toLowerCase());
  return others.reduce((best, next) => (difference(next) < difference(best) ? next : best), first);
}
