const spelling = /^-?(?:0|[1-9][0-9]*)$/;
const maxLength = "-9223372036854775808".length;

export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

/** Returns the int64 that `text` spells, or undefined: `-?(0|[1-9][0-9]*)` and within 64 bits. */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > maxLength || !spelling.test(text)) return undefined;
  return within(BigInt(text));
}

/** Returns the int64 of a value that `parseExact` (json/parse.ts) returned, or undefined. */
export function toInt64(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === "bigint" ? within(value) : undefined;
}

/** Returns whether `text` is an integer of any size. */
export function isInteger(text: string): boolean {
  return spelling.test(text);
}

function within(value: bigint): bigint | undefined {
  return value >= int64Min && value <= int64Max ? value : undefined;
}
