/** Thrown for what a user wrote for the lab and makes no sense; the message says what is allowed. */
export class InvalidInput extends Error {}

/**
 * Returns functions that parse a field of `source`, and throw an InvalidInput if `parse` returns undefined. Throws
 * one for a field that is none of `names`.
 */
export function fieldReader(source: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const unknown = Object.keys(source).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new InvalidInput(`unknown field ${shown(unknown)}; fields are ${names.join(", ")}`);
  const required = <T>(
    name: string,
    allowed: string,
    parse: (value: unknown) => T | undefined,
  ): T => {
    const parsed = parse(source[name]);
    if (parsed !== undefined) return parsed;
    throw new InvalidInput(`${name} must be ${allowed}, not ${shown(source[name])}`);
  };
  const optional = <T>(...field: Parameters<typeof required<T>>): T | undefined =>
    source[field[0]] === undefined ? undefined : required(...field);
  return { required, optional };
}

/** Returns a parser of values that are texts, given one of the texts. */
export function asText<T>(parse: (text: string) => T): (value: unknown) => T | undefined {
  return (value) => (typeof value === "string" ? parse(value) : undefined);
}

/** Returns a value that is true or false. */
export function asBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** Returns a value as it was written, cut after 60 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
