const spelling = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest duration, in ms: what a timer of Node takes, some 24 days. Longer ones are cut to it. */
export const longestDuration = 2 ** 31 - 1;

/**
 * The duration that `text` spells, in whole ms, or undefined: a number of seconds, or a number with
 * `ms`, `s`, `m` or `h` (contract.md, Commands). No sign, no exponent, no white space.
 */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = "s"] = spelling.exec(text) ?? [];
  const factor = unitMs[unit];
  if (digits === undefined || factor === undefined) return undefined;
  return Math.min(Math.round(Number(digits) * factor), longestDuration);
}
