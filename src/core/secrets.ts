import { maskKey } from "./api-key.ts";

/** Returns a text with every secret masked; if it is cut off, with what may be the beginning of one at its end as well. */
export type SecretMask = (text: string, isCut?: boolean) => string;

/** Matches the keys that `pets serve` makes, and as much as there is of one at the end of a text. */
const storeKeys = /pets(?:_|%5F)[0-9A-Za-z]{32}/gi;
const storeKeyStart = /pets(?:_|%5F)[0-9A-Za-z]{0,31}$/i;
/** The minimum length of the beginning of a secret that is found at the end of a text that was cut. */
const minCut = 4;

/** Returns the mask of `secrets`, also percent-encoded or in JSON, and with `hasStoreKeys` of all keys of `pets serve`. */
export function makeSecretMask(
  secrets: readonly string[],
  { hasStoreKeys = false }: { readonly hasStoreKeys?: boolean } = {},
): SecretMask {
  const forms = secrets
    .filter(Boolean)
    .flatMap((secret) => formsOf(secret).map((form) => ({ form, mask: maskKey(secret) })))
    // A secret may contain another one.
    .sort((one, other) => other.form.length - one.form.length);
  return (text, isCut = false) => {
    let masked = text;
    for (const { form, mask } of forms) {
      masked = masked.replaceAll(form, () => mask);
      // Messages cut long values with an ellipsis.
      if (!isCut && !masked.includes("…")) continue;
      const parts = masked.split("…");
      const cutParts = isCut ? parts.length : parts.length - 1;
      masked = parts
        .map((part, i) => (i < cutParts ? maskStart(part, form, mask) : part))
        .join("…");
    }
    if (!hasStoreKeys) return masked;
    masked = masked.replace(storeKeys, maskKey);
    return isCut ? masked.replace(storeKeyStart, "…") : masked;
  };
}

/** Returns how `secret` may be written in texts, URLs, forms and JSON (where some escape the slash as well). */
function formsOf(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  const json = JSON.stringify(secret).slice(1, -1);
  const encoded = [
    encodeURIComponent(text),
    encodeURI(text),
    // As Python quotes.
    secret.replace(/[^\w.~/-]/g, percentEncode),
    new URLSearchParams([["", text]]).toString().slice(1),
    secret.replace(/[!-/:-@[-`{-~]/g, percentEncode),
  ];
  const lowerCase = encoded.map((form) => form.replace(/%../g, (escape) => escape.toLowerCase()));
  return [...new Set([secret, json, json.replaceAll("/", "\\/"), ...encoded, ...lowerCase])];
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function maskStart(text: string, form: string, mask: string): string {
  const start = form.slice(0, minCut);
  let index = text.indexOf(start, Math.max(0, text.length - form.length));
  while (index !== -1 && !form.startsWith(text.slice(index)))
    index = text.indexOf(start, index + 1);
  return index === -1 ? text : text.slice(0, index) + mask;
}
