import { maskKey } from "../core/api-key.ts";

/** Takes the key out of what the service sends. */
export interface Redaction {
  /** Out of codes, messages and headers. A key under 4 characters stays: it would hit ordinary text. */
  text(text: string): string;
  /** Out of an animal's name: only keys of 12 or more, as names must otherwise stay exact. */
  name(name: string): string;
}

/** The Redaction for `key`, which is visible ASCII. */
export function makeRedaction(key: string): Redaction {
  const mask = maskKey(key);
  let spelled: RegExp | undefined;
  const hide = (text: string): string => {
    // No spelling is shorter than the key itself.
    if (text.length < key.length) return text;
    return text.replace((spelled ??= keyPattern(key)), () => mask);
  };
  return {
    text: (text) => (key.length < 4 ? text : hide(text)),
    name: (name) => (key.length < 12 ? name : hide(name)),
  };
}

/**
 * Matches `key` as it is and where any of its characters is percent-encoded, as in a redirect's
 * address, or escaped as in JSON that is quoted within a text.
 */
function keyPattern(key: string): RegExp {
  const characters = Array.from(key, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
    const digits = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    return String.raw`(?:\\?\x${hex}|%${digits}|\\u00${digits})`;
  });
  return new RegExp(characters.join(""), "g");
}
