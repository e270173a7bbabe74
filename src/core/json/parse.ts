/**
 * A number that is not written as an integer of at most 19 digits (`1.0`, `1e3`, `2.5`, or far too
 * long), kept as it was written: as a number `1.0` could not be told from `1`.
 */
export class OtherNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** Lets `stringifyExact` write it as it was written. */
  toJSON(): unknown {
    return JSON.rawJSON(this.source);
  }
}

const byteOrderMark = "\uFEFF";
// A number that a double may not hold exactly, or that is not written as an integer. It matches too
// much (digits within strings), never too little: whatever it matches is only read more slowly.
const inexact = /\d{16}|\d[.eE]/;
const integer = /^-?(?:0|[1-9][0-9]{0,18})$/;
/** How deep the slow way follows; no value that is looked at lies deeper. */
const deepest = 64;

/**
 * The value of a JSON text (RFC 8259; a byte-order mark is skipped). A number written
 * `-?(0|[1-9][0-9]*)` comes out as a number where that is exact and as a bigint beyond (up to 19
 * digits, so not always an int64: `toInt64` in api/int64.ts tells), any other spelling as an
 * OtherNumber. A text nested over a thousand levels deep may come out with null in place of what
 * lies deeper than 64. Throws a SyntaxError.
 */
export function parseExact(text: string): unknown {
  const json = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  if (!inexact.test(json)) return JSON.parse(json);
  try {
    return JSON.parse(json, exactNumber);
  } catch (error) {
    // The reviver recurses where plain parsing does not, so only it runs out of stack.
    if (!(error instanceof RangeError)) throw error;
    JSON.parse(json);
    return JSON.parse(withoutDepths(json), exactNumber);
  }
}

function exactNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  const { source } = context;
  return typeof value !== "number" || source === undefined ? value : parseExactNumber(source);
}

/** What `parseExact` makes of a number that is written so; `source` is a JSON number. */
export function parseExactNumber(source: string): number | bigint | OtherNumber {
  if (!integer.test(source)) return new OtherNumber(source);
  const value = Number(source);
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

/** The valid JSON text `json` with null for every array and object that lies deeper than `deepest`. */
function withoutDepths(json: string): string {
  const kept: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: token, index } of json.matchAll(/[[\]{}]|"(?:[^"\\]|\\.)*?"/g)) {
    if (token === "[" || token === "{") {
      depth += 1;
      if (depth === deepest + 1) kept.push(json.slice(from, index), "null");
    } else if (token === "]" || token === "}") {
      depth -= 1;
      if (depth === deepest) from = index + 1;
    }
  }
  kept.push(json.slice(from));
  return kept.join("");
}
