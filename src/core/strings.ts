import { distance } from "fastest-levenshtein";

/** Returns `text`, cut off with `…` if it is longer than `length` UTF-16 units. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

/** Returns whether `text` is a word of a hint in angle brackets, which the user was to replace. */
export const isPlaceholder = (text: string): boolean => /^<[a-z]+>$/.test(text);

// Longer than any candidate, and short enough to compare fast.
const maxCompared = 100;

/** Returns the candidate that `word` begins, or that it misspells in at most a third of its letters, in any case. */
export function closeMatch(word: string, candidates: readonly string[]): string | undefined {
  const sought = word.slice(0, maxCompared).toLowerCase();
  // Among them the first letter decides: it is rarely mistyped.
  const rank = (candidate: string): number =>
    distance(sought, candidate) + (candidate[0] === sought[0] ? 0 : maxCompared);
  const [closest] = candidates
    .filter((candidate) => isClose(sought, candidate.toLowerCase()))
    .sort((one, other) => rank(one.toLowerCase()) - rank(other.toLowerCase()));
  return closest;
}

function isClose(sought: string, candidate: string): boolean {
  if (sought.length > 1 && candidate.startsWith(sought)) return true;
  const wrong = typosIn(sought, candidate);
  return wrong <= Math.max(1, Math.floor(candidate.length / 3)) && wrong < candidate.length;
}

/** Returns how many letters of `word` are wrong if `meant` was meant; two swapped letters count as one. */
export function typosIn(word: string, meant: string): number {
  const isSwapped = word !== meant && sortedLetters(word) === sortedLetters(meant);
  return distance(word.slice(0, maxCompared), meant) - (isSwapped ? 1 : 0);
}

function sortedLetters(word: string): string {
  return word.split("").sort().join("");
}

/** Returns a message about a word that is not `known`, with the closest that is; it came `from` this flag or variable. */
export function unknownText(
  kind: string,
  word: string,
  known: readonly string[],
  from?: string,
): string {
  const place = from === undefined ? "" : ` in ${from}`;
  const meant = closeMatch(word, known);
  const guess = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
  return `unknown ${kind} ${JSON.stringify(word)}${place}${guess}`;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Returns the number that `text` spells in digits, without a leading zero; undefined if it is out of bounds. */
export function parseIntInRange(text: string, { min, max }: Range): number | undefined {
  const number = /^(?:0|[1-9][0-9]*)$/.test(text) ? Number(text) : NaN;
  return number >= min && number <= max ? number : undefined;
}
