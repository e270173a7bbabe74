const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Times closer than this are shown with seconds. */
const near = 10 * minute;

/**
 * Formats a time for people, in local time and rounded up: `14:05`; `14:05:27` within ten minutes of `now`;
 * `2026-11-23 14:05` on another day, over an hour away. Midnight ends its day. Both are ms since the epoch.
 */
export function formatMoment(at: number, now: number): string {
  const unit = at - now < near ? second : minute;
  const date = new Date(Math.ceil(at / unit) * unit);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  const seconds = date.getSeconds() === 0 ? "" : `:${twoDigits(date.getSeconds())}`;
  const isOtherDay = formatDate(new Date(date.getTime() - 1)) !== formatDate(new Date(now));
  if (Math.abs(at - now) > hour && isOtherDay) return `${formatDateTime(date.getTime())}${seconds}`;
  return `${hoursAndMinutes(date)}${seconds}`;
}

/** Formats a time for people, in local time and without seconds: `2026-11-23 00:00`. */
export function formatDateTime(at: number): string {
  const date = new Date(at);
  return `${formatDate(date)} ${hoursAndMinutes(date)}`;
}

/** Formats a time of day for people, in local time, to the millisecond: `14:05:27.042`. */
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
