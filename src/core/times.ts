import type { Syntax } from "./syntax.ts";

const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/;

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns the ms of a number of seconds, or with `ms`, `s`, `m`, `h` (with `hasDays` `d`); undefined for other text. */
export function parseDuration(text: string, { hasDays = false } = {}): number | undefined {
  const [, digits, unit = "s"] = durationPattern.exec(text) ?? [];
  const factor = unitMs[unit];
  if (digits === undefined || factor === undefined || (unit === "d" && !hasDays)) return undefined;
  return Math.round(Number(digits) * factor);
}

const isoPattern =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i;

/** A date or time, UTC by default, in ms since the epoch. */
export const isoTime: Syntax<number> = {
  parse: (text) => {
    const groups = isoPattern.exec(text)?.groups;
    const moment = groups === undefined ? Number.NaN : toMoment(groups);
    return moment >= 0 && moment < Date.UTC(10_000) ? moment : undefined;
  },
  allowed: () => "a time in ISO 8601 from 1970 to 9999, such as 2030-12-05T00:00:00Z",
};

function toMoment({ date = "", time = "00:00", zone = "Z" }: Record<string, string>): number {
  // `Date` accepts 30 February as 2 March.
  const day = Date.parse(`${date}T00:00Z`);
  const isOnCalendar = !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
  const offset = zone.replace(/(\d\d):?(\d\d)$/, "$1:$2").toUpperCase();
  return isOnCalendar ? Date.parse(`${date}T${time}${offset}`) : Number.NaN;
}
