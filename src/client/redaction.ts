import { makeSecretMask } from "../core/secret-mask.ts";

/** Masks the key in what the service sends. */
export interface Redaction {
  /** In codes, messages and headers; not a key under 4 characters, which ordinary text may contain. */
  text(text: string): string;
  /** In a name or URL, which must otherwise stay exact: only a key of 12 or more characters. */
  name(name: string): string;
}

/** Creates the Redaction for `key`, which is visible ASCII. */
export function createRedaction(key: string): Redaction {
  const hide = makeSecretMask([key]);
  return {
    text: (text) => (key.length < 4 ? text : hide(text)),
    name: (name) => (key.length < 12 ? name : hide(name)),
  };
}
