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
/** What a form of a character begins with that is longer than it. */
const escapes = new Set(["%", "\\", "&"]);

/** Returns the mask of `secrets`, also percent-encoded or in JSON, and with `hasStoreKeys` of all keys of `pets serve`. */
export function makeSecretMask(
  secrets: readonly string[],
  { hasStoreKeys = false }: { readonly hasStoreKeys?: boolean } = {},
): SecretMask {
  // A secret may contain another one.
  const sorted = secrets.filter(Boolean).sort((one, other) => other.length - one.length);
  const known = sorted.map((secret) => ({ mask: maskKey(secret), characters: secret.split("") }));
  const starts = new Set([...sorted.map((secret) => secret.charAt(0)), ...escapes]);
  return (text, isCut = false) => {
    let masked = "";
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (!starts.has(text.charAt(at))) continue;
      for (const { mask, characters } of known) {
        const end = endOf(characters, text, at, isCut);
        if (end === undefined) continue;
        masked += text.slice(from, at) + mask;
        from = end;
        at = end - 1;
        break;
      }
    }
    masked += text.slice(from);
    if (!hasStoreKeys) return masked;
    masked = masked.replace(storeKeys, maskKey);
    return isCut ? masked.replace(storeKeyStart, "…") : masked;
  };
}

const entities: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
};

const forms = new Map<string, readonly string[]>();

/** Returns how a character may be written in texts, URLs, HTML, JSON, and JSON in JSON. */
function formsOf(character: string): readonly string[] {
  const known = forms.get(character) ?? createForms(character);
  forms.set(character, known);
  return known;
}

function createForms(character: string): readonly string[] {
  const code = character.charCodeAt(0);
  const escaped = [code.toString(16), code.toString(16).toUpperCase()].flatMap((hex) => {
    const [byte, unit] = [hex.padStart(2, "0"), hex.padStart(4, "0")];
    return [`%${byte}`, `%25${byte}`, `\\u${unit}`, `\\\\u${unit}`, `&#x${hex};`];
  });
  const utf8 = encodeURIComponent(character.toWellFormed());
  const slashed = ["\\", "\\\\", "\\\\\\"].map((slashes) => slashes + character);
  const entity = `&${entities[character] ?? `#${code}`};`;
  return [character, ...slashed, utf8, utf8.toLowerCase(), entity, ...escaped];
}

/** Returns where a secret ends that begins at `start`, each of its `characters` in any form. */
function endOf(
  characters: readonly string[],
  text: string,
  start: number,
  isCut: boolean,
): number | undefined {
  const isLong = isCut && text.length - start >= minCut;
  let ends = [start];
  for (const character of characters) {
    const next: number[] = [];
    for (const end of ends) {
      for (const form of escapes.has(text.charAt(end)) ? formsOf(character) : [character]) {
        if (isLong && form.startsWith(text.slice(end))) return text.length;
        const after = end + form.length;
        if (text.startsWith(form, end) && !next.includes(after)) next.push(after);
      }
    }
    if (next.length === 0) return undefined;
    ends = next;
  }
  return Math.max(...ends);
}

/** A shorter one is not masked in what a service says: ordinary text may contain it. */
const minInReplies = 4;

type Purpose = "value" | "reply" | "message";

/** The keys and passwords that this process knows, however it learned them, to mask them in all that it shows or keeps. */
export class Secrets {
  readonly #known = new Set<string>();
  #masks: Partial<Record<Purpose, SecretMask>> = {};
  readonly #words: readonly string[];
  #others: () => readonly string[] = () => [];

  /** `words` are those of the command line, where someone may have typed any. */
  constructor(words: readonly string[] = []) {
    this.#words = words;
  }

  /** Adds what `others` returns when the next text is masked. */
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

  #maskOf(purpose: Purpose): SecretMask {
    return (this.#masks[purpose] ??= this.#createMask(purpose));
  }

  #createMask(purpose: Purpose): SecretMask {
    for (const secret of this.#others()) this.#known.add(secret);
    this.#others = () => [];
    const known = [...this.#known];
    const isTyped = (key: string): boolean => this.#words.some((word) => word.includes(key));
    const isMasked = {
      value: isUnmistakable,
      reply: (key: string) => key.length >= minInReplies,
      message: (key: string) => isUnmistakable(key) || (key.length >= minInReplies && isTyped(key)),
    }[purpose];
    return makeSecretMask(known.filter(isMasked), { hasStoreKeys: purpose === "message" });
  }
}
