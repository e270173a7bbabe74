import { unlimited } from "../../core/api.ts";
import { formatCount, plural } from "../../core/format.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Formats a duration for people, from ms: `300 ms`, `45 s`, `1 min 15 s`, `1 h 12 min`. Rounded up, so
 * that a wait never takes longer than announced.
 */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole < second) return `${whole} ms`;
  const seconds = Math.ceil(ms / second) * second;
  if (seconds < minute) return `${seconds / second} s`;
  if (seconds < hour) return twoUnits(seconds, minute, "min", second, "s");
  return twoUnits(Math.ceil(seconds / minute) * minute, hour, "h", minute, "min");
}

/** Formats as formatDuration does, from two days on in days and hours: `2 d 1 h`. */
export function formatLong(ms: number): string {
  return ms < 2 * day
    ? formatDuration(ms)
    : twoUnits(Math.ceil(ms / hour) * hour, day, "d", hour, "h");
}

/** Formats how long something took, from ms: as formatLong, but rounded to the nearest. */
export function formatTook(ms: number): string {
  const unit = ms < second ? 1 : ms < hour ? second : ms < 2 * day ? minute : hour;
  return formatLong(Math.round(ms / unit) * unit);
}

/** Formats an age, from ms: `3 s`, `12 min`, `5 h`, `2 d`, rounded down. */
export function formatAge(ms: number): string {
  const age = Math.max(0, ms);
  if (age < minute) return `${Math.floor(age / second)} s`;
  if (age < hour) return `${Math.floor(age / minute)} min`;
  return age < day ? `${Math.floor(age / hour)} h` : `${Math.floor(age / day)} d`;
}

/** Formats ms since the epoch as ISO 8601 in UTC; undefined for an invalid time. */
export function isoTime(at: number | undefined): string | undefined {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function twoUnits(ms: number, big: number, bigName: string, small: number, smallName: string) {
  const rest = (ms % big) / small;
  const whole = `${Math.floor(ms / big)} ${bigName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

/** Formats a number of requests that may be sent: `1,234`, or `unlimited`. */
export function formatAllowance(number: number): string {
  return number >= unlimited ? "unlimited" : formatCount(number);
}

/** Formats a count of animals: `1 animal`, `1,234 animals`. */
export function countAnimals(number: number): string {
  return plural(number, "animal");
}
