import { makeSecretMask, type SecretMask } from "../core/secret-mask.ts";

/** A shorter credential is not masked: it would match ordinary text. */
const minMaskable = 4;
/** So many of a request's credentials are sought in its texts. */
const maxCredentials = 8;
/** So many keys are sought in all texts. */
const maxKeys = 1_000;

const credentialHeaders = new Set(["authorization", "proxy-authorization", "x-api-key"]);

/** The masks of the requests to one store. */
export type RequestMasks = ReturnType<typeof requestMasks>;

/** Makes the masks for a store that has issued `keys`. */
export function requestMasks(keys: readonly string[]) {
  const known = new Set(keys);
  let maskKnown = makeSecretMask(keys, { hasStoreKeys: true });
  return {
    /** Adds a key that is valid. */
    learn: (key: string): void => {
      if (known.has(key) || known.size >= maxKeys) return;
      known.add(key);
      maskKnown = makeSecretMask([...known], { hasStoreKeys: true });
    },
    /** Returns the mask for one request, with alternating names and values of headers: for the credentials in them too. */
    maskOf: (rawHeaders: readonly string[]): SecretMask => {
      const others = credentialsIn(rawHeaders).filter((each) => !known.has(each));
      if (others.length === 0) return maskKnown;
      const maskOwn = makeSecretMask(others);
      return (text, isCut) => maskKnown(maskOwn(text, isCut), isCut);
    },
  };
}

function credentialsIn(rawHeaders: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (let at = 0; at + 1 < rawHeaders.length && found.size < maxCredentials; at += 2) {
    if (!credentialHeaders.has(rawHeaders[at]?.toLowerCase() ?? "")) continue;
    for (const secret of secretsIn(rawHeaders[at + 1] ?? ""))
      if (secret.length >= minMaskable) found.add(secret);
  }
  return [...found];
}

/** Returns what is secret in credentials (RFC 9110, 11.4): all but the scheme, and what Basic encodes. */
function secretsIn(value: string): readonly string[] {
  const text = value.trim();
  const schemeEnd = text.search(/\s/);
  const secret = text.slice(schemeEnd + 1).trim();
  if (text.slice(0, Math.max(schemeEnd, 0)).toLowerCase() !== "basic") return [secret];
  const pair = Buffer.from(secret, "base64").toString("latin1");
  return [secret, pair, pair.slice(pair.indexOf(":") + 1)];
}
