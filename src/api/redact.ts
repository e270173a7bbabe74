import { maskKey } from "../mask.ts";

/** Takes the key out of what the service sends. */
export interface Redaction {
  /** Out of codes, messages and headers. A key under 4 characters stays: it would hit ordinary text. */
  text(text: string): string;
  /** Out of an animal's name: only keys of 12 or more, as names must otherwise stay exact. */
  name(name: string): string;
}

/** The Redaction for `key`: also where it stands percent-encoded, as in a redirect's address. */
export function makeRedaction(key: string): Redaction {
  const mask = maskKey(key);
  const spellings = [...new Set([key, encodeURIComponent(key)])];
  const hide = (text: string): string =>
    spellings.reduce((hidden, spelling) => hidden.replaceAll(spelling, () => mask), text);
  return {
    text: (text) => (key.length < 4 ? text : hide(text)),
    name: (name) => (key.length < 12 ? name : hide(name)),
  };
}
