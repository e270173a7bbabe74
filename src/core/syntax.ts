/** The syntax of a value that people write: in an option, a body or a form. */
export interface Syntax<T> {
  /** Returns the value of `text`; undefined if it is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Returns what is allowed in place of an invalid `text`, as it follows `must be`. */
  readonly allowed: (text: string) => string;
}

/** Returns the message that the value of `name` is wrong. */
export function mustBe(name: string, allowed: string, value: unknown): string {
  return `${name} must be ${allowed}, not ${shown(value)}`;
}

/** Returns a value as JSON, cut after 60 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
