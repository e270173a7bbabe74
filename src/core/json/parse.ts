/** A number that is not spelled as an integer of at most 19 digits, as it is: `1.0` and `1` would be equal numbers. */
export class OtherNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.source);
  }
}

// Finds numbers that a double may not hold exactly, or that are not written as integers. It may match
// too much (digits within strings), which only makes parsing slower, never too little.
const inexact = /\d{16}|\d[.eE]/;
const integer = /^-?(?:0|[1-9][0-9]{0,18})$/;

/** The most levels of a large JSON text. Without a bound, its value takes many times the memory of the text. */
const maxDepth = 500;

export const tooDeep = `is nested more than ${maxDepth} levels deep`;

/** Returns whether a JSON text of a file or response has more levels than are read. */
export function isTooDeep(json: string): boolean {
  if (json.length <= maxDepth) return false;
  let depth = 0;
  let isString = false;
  for (let index = 0; index < json.length && depth <= maxDepth; index += 1) {
    const char = json[index];
    if (char === '"') isString = !isString;
    else if (isString) index += char === "\\" ? 1 : 0;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
  }
  return depth > maxDepth;
}

/**
 * Parses a JSON text (RFC 8259), without its byte-order mark. An integer becomes a number if that is exact, else a bigint;
 * any other spelling an OtherNumber. Throws a SyntaxError, also for a text nested thousands of levels deep.
 */
export function parseExact(text: string): unknown {
  const json = text.replace(/^\uFEFF/, "");
  if (!inexact.test(json)) return JSON.parse(json);
  try {
    return JSON.parse(json, exactNumber);
  } catch (error) {
    // Only the reviver recurses, and so can overflow the stack.
    throw error instanceof RangeError ? new SyntaxError("it is nested too deeply") : error;
  }
}

/** Returns the value of a JSON text, inexact; undefined of any other text. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function exactNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== "number" || source === undefined) return value;
  if (!integer.test(source)) return new OtherNumber(source);
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

/** Returns whether `value` is what a JSON object is parsed to: no array, and not null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null;
  return isObject && !Array.isArray(value) && !(value instanceof OtherNumber);
}
