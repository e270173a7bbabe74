import { maskKey, maskStoreKeys, storeKey } from "../../core/api-key.ts";
import { keyPattern } from "../../client/redact.ts";

/** Masks the credentials of one request, and anything that looks like a key made by `pets serve`. */
export interface KeyMask {
  /** Returns `text` with each of them masked; the request's own in any encoding. */
  readonly mask: (text: string) => string;
  /** Returns `end`, or the start of a credential that spans it: half of one could not be found. */
  readonly cutBefore: (text: string, end: number) => number;
}

/** The minimum length of a masked credential: a shorter one would match ordinary text. */
const minMaskable = 4;
/** How many of the last masked credentials have their pattern cached. */
const maxRemembered = 100;
const patterns = new Map<string, RegExp>();

/** Makes the mask of the credentials in the values of a request's Authorization headers. */
export function makeKeyMask(authorizations: readonly string[]): KeyMask {
  const keys = authorizations
    .map((value) => value.replace(/^\s*(?:Bearer|Basic)\s+/i, "").trim())
    .filter((key) => key.length >= minMaskable)
    // Longest first, so that none is found within another.
    .sort((one, other) => other.length - one.length);
  return {
    mask: (text) =>
      maskStoreKeys(
        keys.reduce((masked, key) => masked.replace(patternOf(key), () => maskKey(key)), text),
      ),
    cutBefore: (text, end) =>
      Math.min(
        ...[...keys.map(patternOf), storeKey].map((pattern) =>
          startOfStraddler(text, pattern, end),
        ),
      ),
  };
}

function startOfStraddler(text: string, pattern: RegExp, end: number): number {
  for (const { 0: match, index } of text.matchAll(pattern))
    if (index < end && index + match.length > end) return index;
  return end;
}

function patternOf(key: string): RegExp {
  const known = patterns.get(key);
  if (known !== undefined) return known;
  if (patterns.size >= maxRemembered) patterns.clear();
  const pattern = keyPattern(key);
  patterns.set(key, pattern);
  return pattern;
}
