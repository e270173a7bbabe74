/** A word to offer, and a description of one line. */
export interface Described {
  readonly name: string;
  readonly description: string;
}

/** A value that is one of `words`. */
interface WordValues<Word extends string = string> {
  readonly kind: "words";
  readonly words: readonly Word[];
}

/** A comma-separated list of `words`, each followed by `end`. */
interface ListValues {
  readonly kind: "list";
  readonly words: readonly string[];
  readonly end: "" | ":";
}

/** What a value may be: anything (`free`), words, a file, a profile, or another command line (after `--`). */
export type ValueKind =
  | { readonly kind: "free" | "files" | "profiles" | "command" }
  | WordValues
  | ListValues;

/** What the value of an option may be: of a known kind, or the fields that the command shows. */
export type OptionValues = ValueKind | { readonly kind: "fields" };

/** What an argument may be: of a known kind, or the name of a command or one of `others`. */
export type ArgumentValues =
  | ValueKind
  | { readonly kind: "commands"; readonly others: readonly Described[] };

export const free: ValueKind = { kind: "free" };
export const files: ValueKind = { kind: "files" };
export const profiles: ValueKind = { kind: "profiles" };

/** Returns the kind of a value that is one of `words`. */
export function oneOf<const Word extends string>(words: readonly Word[]): WordValues<Word> {
  return { kind: "words", words };
}

/** Returns the kind of a value that is a list of the fields of `columns`. */
export function fieldNames(columns: readonly { readonly field: string }[]): ListValues {
  return { kind: "list", words: columns.map(({ field }) => field), end: "" };
}
