import { distance } from "fastest-levenshtein";

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
