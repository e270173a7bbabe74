import { maskKey, minMaskableLength } from "./api-key.ts";

/**
 * Returns a text with every secret masked. `isCut` is whether the text goes on where it is cut off: what may be
 * the beginning of a secret there is masked as well.
 */
export type SecretMask = (text: string, isCut?: boolean) => string;

/** A part of a text that is masked, and what is shown instead. */
interface MaskedRange {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

/** A text with its escapes decoded; `starts[i]` is where character `i` begins in the original text. */
interface View {
  readonly text: string;
  readonly starts: Uint32Array | undefined;
  /** Where the last character ends in the original text. */
  readonly end: number;
}

/** Finds secrets in a view: the start and end of each. */
type Finder = (text: string, isCut: boolean) => Iterable<readonly [number, number]>;

/**
 * Makes the mask of `secrets`: as they are, percent-encoded, escaped as in JSON, in base64, and mixtures. It
 * takes linear time in text and secrets. With `hasStoreKeys` it masks every key that looks as `pets serve` makes it.
 */
export function makeSecretMask(
  secrets: readonly string[],
  { hasStoreKeys = false }: { readonly hasStoreKeys?: boolean } = {},
): SecretMask {
  const finders = secrets.filter(Boolean).flatMap(secretFinders);
  if (hasStoreKeys) finders.push({ find: findStoreKeys, mask: undefined });
  return (text, isCut = false) => {
    const ranges = viewsOf(text).flatMap((view) =>
      finders.flatMap(({ find, mask }) =>
        Array.from(find(view.text, isCut), ([from, to]) => ({
          start: originalOf(view, from),
          end: originalOf(view, to),
          mask: mask ?? maskStoreKey(view.text.slice(from, to)),
        })),
      ),
    );
    return ranges.length === 0 ? text : replaceRanges(text, ranges);
  };
}

/** Shows nothing of a key that is not there to its end. */
function maskStoreKey(key: string): string {
  return key.length < storeKeyLength ? "…" : maskKey(key);
}

function secretFinders(secret: string) {
  const mask = maskKey(secret);
  const forms = secret.length < minMaskableLength ? [secret] : [secret, ...base64Forms(secret)];
  return forms.map((form): { readonly find: Finder; readonly mask: string | undefined } => ({
    find: occurrences(form),
    mask,
  }));
}

/** Returns the base64 of `secret` at each position in a group of three bytes, without what its neighbours share. */
function base64Forms(secret: string): readonly string[] {
  const forms = [0, 1, 2].map((before) => {
    const bytes = Buffer.from(`${"\0".repeat(before)}${secret}`);
    return bytes
      .toString("base64")
      .slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
  });
  return [
    ...new Set([...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))]),
  ];
}

const storeKeyLength = 37;
/** Matches the keys that `pets serve` makes, also in base64 (at each position), or as much as there is at the end. */
const storeKeys =
  /pets_[0-9A-Za-z]{32}|(?:cGV0c1|[HXn3]BldHNf|wZXRzX)[\w+/-]{42}|(?:pets_|cGV0c1|[HXn3]BldHNf|wZXRzX)[\w+/-]{0,41}$/g;

function* findStoreKeys(text: string, isCut: boolean): Iterable<readonly [number, number]> {
  for (const { 0: key, index } of text.matchAll(storeKeys)) {
    const end = index + key.length;
    const isWhole = key.startsWith("pets_") ? key.length === storeKeyLength : key.length >= 48;
    if (isWhole || (isCut && end === text.length)) yield [index, end];
  }
}

function viewsOf(text: string): readonly View[] {
  const raw: View = { text, starts: undefined, end: text.length };
  const views = text.includes("\\") ? [raw, decode(raw, decodeJsonEscape)] : [raw];
  const encoded = views.filter((view) => view.text.includes("%"));
  return [...views, ...encoded.map((view) => decode(view, decodePercent))];
}

function originalOf({ starts, end }: View, at: number): number {
  return starts === undefined ? at : (starts[at] ?? end);
}

/** The character that an escape stands for (undefined for one that is cut off), and its length. */
type Escape = readonly [character: string, length: number];

function decode(view: View, escapeAt: (text: string, at: number) => Escape | undefined): View {
  const { text } = view;
  const starts = new Uint32Array(text.length);
  let decoded = "";
  for (let at = 0; at < text.length;) {
    const [character, length] = escapeAt(text, at) ?? [text.charAt(at), 1];
    if (character !== "") starts[decoded.length] = originalOf(view, at);
    decoded += character;
    at += length;
  }
  return { text: decoded, starts: starts.subarray(0, decoded.length), end: view.end };
}

function decodePercent(text: string, at: number): Escape | undefined {
  return text[at] === "%" ? hexEscape(text, at + 1, 2) : undefined;
}

const controls = new Map(Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }));

function decodeJsonEscape(text: string, at: number): Escape | undefined {
  if (text[at] !== "\\") return undefined;
  const next = text.charAt(at + 1);
  if (next === "u") return hexEscape(text, at + 2, 4);
  return [controls.get(next) ?? next, 2];
}

/** Decodes the `digits` hexadecimal digits at `at`; nothing comes of those that the end cuts off. */
function hexEscape(text: string, at: number, digits: 2 | 4): Escape | undefined {
  const hex = text.slice(at, at + digits);
  if (!/^[0-9A-Fa-f]*$/.test(hex)) return undefined;
  const length = digits === 2 ? 3 : 6;
  return hex.length < digits
    ? ["", length]
    : [String.fromCharCode(Number.parseInt(hex, 16)), length];
}

/** Replaces the ranges; those that overlap are one, shown as the longest of them. */
function replaceRanges(text: string, ranges: readonly MaskedRange[]): string {
  const sorted = ranges.toSorted((one, other) => one.start - other.start);
  const merged: MaskedRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last === undefined || range.start >= last.end) merged.push(range);
    else merged[merged.length - 1] = union(last, range);
  }
  let result = "";
  let done = 0;
  for (const { start, end, mask } of merged) {
    result += text.slice(done, start) + mask;
    done = end;
  }
  return result + text.slice(done);
}

function union(one: MaskedRange, other: MaskedRange): MaskedRange {
  const { mask } = other.end - other.start > one.end - one.start ? other : one;
  return { start: one.start, end: Math.max(one.end, other.end), mask };
}

/** The minimum length of the beginning of a word that is found at the end of a text that was cut. */
const minCut = 4;
/** So much of a word is sought first, by the platform's fast search. */
const probeLength = 16;

/**
 * Returns a function that finds `word` in a text: the start and end of each occurrence that overlaps no earlier
 * one. In a text that was cut it also finds the beginning of the word at the end, of 4 characters or more.
 * It takes linear time for every word and text (Knuth, Morris and Pratt).
 */
function occurrences(word: string) {
  const probe = word.slice(0, probeLength);
  let table: Uint32Array | undefined;
  return function* find(text: string, isCut: boolean): Iterable<readonly [number, number]> {
    const first = text.indexOf(probe);
    if (first === -1 && !isCut) return;
    table ??= failureTable(word);
    let matched = 0;
    for (
      let at = first === -1 ? Math.max(0, text.length - probe.length) : first;
      at < text.length;
      at += 1
    ) {
      matched = advance(word, table, matched, text[at]);
      if (matched < word.length) continue;
      yield [at + 1 - matched, at + 1];
      matched = 0;
    }
    if (isCut && matched >= minCut) yield [text.length - matched, text.length];
  };
}

/** Returns how many characters of `word` are matched after `next`, if `matched` were before it. */
function advance(
  word: string,
  table: Uint32Array,
  matched: number,
  next: string | undefined,
): number {
  let length = matched;
  while (length > 0 && word[length] !== next) length = table[length - 1] ?? 0;
  return word[length] === next ? length + 1 : 0;
}

/** Returns for each beginning of `word` the length of its longest proper beginning that is also its end. */
function failureTable(word: string): Uint32Array {
  const table = new Uint32Array(word.length);
  for (let at = 1; at < word.length; at += 1)
    table[at] = advance(word, table, table[at - 1] ?? 0, word[at]);
  return table;
}
