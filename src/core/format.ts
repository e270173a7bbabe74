import { unlimited } from "./api.ts";
import { truncate } from "./strings.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Times closer than this are shown with seconds. */
const near = 10 * minute;
const maxNameLength = 60;

/**
 * Formats a time for people, in local time and rounded up: `14:05`; `14:05:27` within ten minutes of `now`;
 * `2026-11-23 14:05` on another day, over an hour away; `14:05 UTC` without a time zone (`formatZone`). Midnight ends
 * its day. Both are ms since the epoch.
 */
export function formatMoment(at: number, now: number): string {
  const unit = at - now < near ? second : minute;
  const date = new Date(Math.ceil(at / unit) * unit);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  const seconds = date.getSeconds() === 0 ? "" : `:${twoDigits(date.getSeconds())}`;
  const isOtherDay = formatDate(new Date(date.getTime() - 1)) !== formatDate(new Date(now));
  const isFar = Math.abs(at - now) > hour && isOtherDay;
  const time = isFar ? formatDateTime(date.getTime()) : hoursAndMinutes(date);
  return `${time}${seconds}${formatZone(at)}`;
}

/** Returns ` UTC` to follow a local time that is UTC, also if that is only because Node does not know the time zone. */
export function formatZone(at: number): string {
  if (new Date(at).getTimezoneOffset() !== 0) return "";
  // Undefined, `Etc/Unknown`, or `UTC` itself, which also stands for some texts of POSIX that have another offset.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return /\/(?!Unknown$)/.test(timeZone ?? "") ? "" : " UTC";
}

/** Formats a time for people, in local time, without seconds and zone: `2026-11-23 00:00`. */
export function formatDateTime(at: number): string {
  const date = new Date(at);
  return `${formatDate(date)} ${hoursAndMinutes(date)}`;
}

/** Formats a time of day for people, in local time, to the millisecond, without zone: `14:05:27.042`. */
export function formatTimeOfDay(at: number): string {
  const date = new Date(at);
  const ms = String(date.getMilliseconds()).padStart(3, "0");
  return `${hoursAndMinutes(date)}:${twoDigits(date.getSeconds())}.${ms}`;
}

const hoursAndMinutes = (date: Date): string =>
  [date.getHours(), date.getMinutes()].map(twoDigits).join(":");

function formatDate(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join("-");
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");

/** Formats a count for people: `1,234`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats a count with its noun: `1 animal`, `1,234 animals`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** Where a row of an input is. */
export interface RowPlace {
  readonly line: number;
  /** Its row in a spreadsheet, if that has another number: cells may have line breaks. */
  readonly row?: number | undefined;
  readonly name?: string | undefined;
}

/** Formats where a row is: `line 71 (row 57, Bello)`. */
export function formatPlace({ line, row, name = "" }: RowPlace, unit = "line"): string {
  const more = [row === undefined ? "" : `row ${row}`, truncate(name, maxNameLength)];
  const known = more.filter((each) => each !== "").join(", ");
  return `${unit} ${line}${known && ` (${known})`}`;
}

/** Formats a duration in ms for people: `300 ms`, `1 min 15 s`, `1 h 12 min`; rounded up, so that no wait takes longer. */
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
