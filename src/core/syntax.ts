/** What a text may be, and what it means, wherever people write it: in an option, a body, a form. */
export interface Syntax<T> {
  /** Returns what `text` means; undefined if it is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Returns what is allowed in place of a `text` that is not: what follows `must be`. */
  readonly allowed: (text: string) => string;
}

/** Returns what is wrong with the value of `name`. */
export function mustBe(name: string, allowed: string, value: unknown): string {
  return `${name} must be ${allowed}, not ${shown(value)}`;
}

/** Returns a value as it was written, cut after 60 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
