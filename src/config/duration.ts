import { maxTimerMs } from "../platform/io.ts";

const spelling = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * The duration that `text` spells, in whole ms, or undefined: a number of seconds, or a number with
 * `ms`, `s`, `m` or `h` (contract.md, Commands). No sign, no exponent, no white
 * space. One that is longer than any timer waits is cut to that.
 */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = "s"] = spelling.exec(text) ?? [];
  const factor = unitMs[unit];
  if (digits === undefined || factor === undefined) return undefined;
  return Math.min(Math.round(Number(digits) * factor), maxTimerMs);
}
