const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/;

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses a duration to whole ms: a number of seconds, or a number with `ms`, `s`, `m`, `h` or, with `hasDays`,
 * `d`; without sign, exponent or white space. Returns undefined for other text.
 */
export function parseDuration(text: string, { hasDays = false } = {}): number | undefined {
  const [, digits, unit = "s"] = durationPattern.exec(text) ?? [];
  const factor = unitMs[unit];
  if (digits === undefined || factor === undefined || (unit === "d" && !hasDays)) return undefined;
  return Math.round(Number(digits) * factor);
}
