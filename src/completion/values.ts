/** A word to offer, and a description of one line. */
export interface Described {
  readonly name: string;
  readonly description: string;
}

/**
 * What a value may be: anything (`free`), one of some words, a comma-separated list of them, each followed
 * by `end`, a file, a profile, or another command line (after `--`).
 */
export type ValueKind =
  | { readonly kind: "free" | "files" | "profiles" | "command" }
  | { readonly kind: "words"; readonly name: string; readonly words: readonly string[] }
  | {
      readonly kind: "list";
      readonly name: string;
      readonly words: readonly string[];
      readonly end: "" | ":";
    };

/** What the value of an option may be: of a known kind, or the fields that the command shows. */
export type OptionValues = ValueKind | { readonly kind: "fields" };

/** What an argument may be: of a known kind, or the name of a command or one of `others`. */
export type ArgumentValues =
  | ValueKind
  | { readonly kind: "commands"; readonly others: readonly Described[] };

export const free: ValueKind = { kind: "free" };
export const files: ValueKind = { kind: "files" };
export const profiles: ValueKind = { kind: "profiles" };

/** Returns the kind of a value that is one of `words`; scripts call it `name`. */
export function oneOf(name: string, words: readonly string[]): ValueKind {
  return { kind: "words", name, words };
}

/** Returns the kind of a value that is a list of the fields of `columns`; scripts call it `name`. */
export function fieldNames(
  name: string,
  columns: readonly { readonly field: string }[],
): ValueKind {
  return { kind: "list", name, words: columns.map(({ field }) => field), end: "" };
}

/** Returns the name of a kind in a script. */
export function kindName(kind: ValueKind): string {
  return "name" in kind ? kind.name : kind.kind;
}
