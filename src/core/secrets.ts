import { isUnmistakable, maskKey } from "./api-key.ts";
import { isRecord } from "./json/parse.ts";
import { hideUserInfo } from "./user-info.ts";

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
      if (!isCut) continue;
      const starts = masked.split("…").map((part) => maskStart(part, form, mask));
      masked = starts.join("…");
    }
    if (!hasStoreKeys) return masked;
    masked = masked.replace(storeKeys, maskKey);
    return isCut ? masked.replace(storeKeyStart, "…") : masked;
  };
}

/** Returns how `secret` may be written in texts, JSON and URLs, where some encode all signs, or in lower case. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const signs = secret.replace(/[!-/:-@[-`{-~]/g, percentEncode);
  const encoded = [encodeURIComponent(secret.toWellFormed()), signs];
  const lowerCase = encoded.map((form) => form.replace(/%../g, (escape) => escape.toLowerCase()));
  return [...new Set([secret, json, ...encoded, ...lowerCase])];
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

/** A shorter one is not masked in what a service says: ordinary text may contain it. */
const minInReplies = 4;

type Place = "value" | "reply" | "message";

/** The keys and passwords that this process knows, however it learned them, to mask them in all that it shows or keeps. */
export class Secrets {
  readonly #known = new Set<string>();
  #masks: Partial<Record<Place, SecretMask>> = {};
  readonly #words: readonly string[];
  #others: () => readonly string[] = () => [];

  /** `words` are those of the command line, where someone may have typed any. */
  constructor(words: readonly string[] = []) {
    this.#words = words;
  }

  /** Adds what `others` returns when the first text is masked. */
  addLater(others: () => readonly string[]): void {
    this.#others = others;
    this.#masks = {};
  }

  /** Adds what was learned; empty and missing ones do not count. */
  add(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) if (secret) this.#known.add(secret);
    this.#masks = {};
  }

  /** Returns a name, a URL or another value, which must stay exact, without those that are unmistakable. */
  inValue(text: string): string {
    return this.#maskOf("value")(text);
  }

  /** Returns a record with all its texts as `inValue` returns them. */
  inRecord<Part>(part: Part): Part;
  inRecord(part: unknown): unknown {
    if (typeof part === "string") return this.inValue(part);
    if (Array.isArray(part)) return part.map((each: unknown) => this.inRecord(each));
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, each]) => [key, this.inRecord(each)]),
    );
  }

  /** Returns a text of the service without them. */
  inReply(text: string): string {
    return this.#maskOf("reply")(text);
  }

  /** Returns a message of ours without them, without keys of `pets serve`, and without passwords in URLs. */
  inMessage(text: string): string {
    return hideUserInfo(this.#maskOf("message")(text));
  }

  #maskOf(place: Place): SecretMask {
    return (this.#masks[place] ??= this.#createMask(place));
  }

  #createMask(place: Place): SecretMask {
    const known = [...this.#known, ...this.#others()];
    const isTyped = (key: string): boolean => this.#words.some((word) => word.includes(key));
    const isMasked = {
      value: isUnmistakable,
      reply: (key: string) => key.length >= minInReplies,
      message: (key: string) => isUnmistakable(key) || isTyped(key),
    }[place];
    return makeSecretMask(known.filter(isMasked), { hasStoreKeys: place === "message" });
  }
}
