import { closeMatch, isPlaceholder } from "./strings.ts";

/** The syntax of a value that people write: in an option, at a prompt, in a body or a form. */
export interface Syntax<T> {
  /** Returns the value of `text`; undefined if it is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Returns what is allowed in place of an invalid `text`, as it follows `must be`. */
  readonly allowed: (text: string) => string;
  /** All values, where the nearest one is to be suggested. */
  readonly values?: readonly string[];
}

/** Returns the syntax of one of these texts. */
export const oneOf = <T extends string>(values: readonly T[]): Syntax<T> => ({
  parse: (text) => values.find((value) => value === text),
  allowed: () => listed(values),
  values,
});

/** Returns words as a list of alternatives: `a, b or c`. */
const listed = (words: readonly string[]): string =>
  [words.slice(0, -1).join(", "), ...words.slice(-1)].join(" or ");

/** Returns what is wrong with `text` as the value of `name`: what is allowed, the text, and the nearest value. */
export function problemIn<T>(name: string, syntax: Syntax<T>, text: string): string {
  const allowed = syntax.allowed(text);
  if (isPlaceholder(text)) return `${name}: replace ${text} with ${allowed}`;
  // Whole: a key in it is masked later.
  return mustBe(name, allowed, JSON.stringify(text)) + nearestOf(text, syntax);
}

/** Returns the end of a message on `text` that suggests the nearest value, if one is close. */
export function nearestOf<T>(text: string, { values = [] }: Syntax<T>): string {
  const nearest = closeMatch(text, values);
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
}

/** Returns the message that the value of `name`, as it is `shown`, is wrong. */
export const mustBe = (name: string, allowed: string, shownValue: string): string =>
  `${name} must be ${allowed}, not ${shownValue}`;

/** Returns a value as JSON, cut after 60 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
