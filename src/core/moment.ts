const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;
/** How far away seconds still matter. */
const near = 10 * minute;

/**
 * Formats the time `at` for people, in local time and rounded up, so that it is never early: `14:05`;
 * `14:05:27` if it is less than ten minutes away; `2026-11-23 00:00` from a day on. Both are ms since the epoch.
 */
export function formatMoment(at: number, now: number): string {
  const unit = at - now < near ? second : minute;
  const date = new Date(Math.ceil(at / unit) * unit);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const time = [hours, minutes, ...(seconds === 0 ? [] : [seconds])].map(twoDigits).join(":");
  return Math.abs(at - now) < day ? time : `${formatDate(date)} ${time}`;
}

function formatDate(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join("-");
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");
