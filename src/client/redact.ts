import { maskKey } from "../core/api-key.ts";

/** Masks the key in what the service sends. */
export interface Redaction {
  /** In codes, messages and headers; not a key under 4 characters, which ordinary text may contain. */
  text(text: string): string;
  /** In a name or URL, which must otherwise stay exact: only a key of 12 or more characters. */
  name(name: string): string;
}

/** Creates the Redaction for `key`, which is visible ASCII. */
export function createRedaction(key: string): Redaction {
  const mask = maskKey(key);
  let pattern: RegExp | undefined;
  const hide = (text: string): string => {
    // No encoded form is shorter than the key itself.
    if (text.length < key.length) return text;
    return text.replace((pattern ??= keyPattern(key)), () => mask);
  };
  return {
    text: (text) => (key.length < 4 ? text : hide(text)),
    name: (name) => (key.length < 12 ? name : hide(name)),
  };
}

/**
 * Returns a pattern that matches `key` with any of its characters as they are, percent-encoded (as in a
 * redirect's address), or escaped as in quoted JSON.
 */
function keyPattern(key: string): RegExp {
  const characters = Array.from(key, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
    const digits = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    return String.raw`(?:\\?\x${hex}|%${digits}|\\u00${digits})`;
  });
  return new RegExp(characters.join(""), "g");
}
