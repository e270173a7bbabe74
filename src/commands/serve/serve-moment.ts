import { usageFailure } from "../../core/errors.ts";

const form =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * The moment that `text` names in ISO 8601, in ms since the epoch: a date, or a date and a time,
 * in UTC unless it says otherwise, from 1970 to 9999. `name` is the flag. Throws a usage Failure.
 */
export function parseIsoTime(text: string, name: string): number {
  const groups = form.exec(text)?.groups;
  const moment = groups === undefined ? Number.NaN : momentOf(groups);
  if (moment >= 0 && moment < Date.UTC(9999, 11, 31)) return moment;
  const allowed = "a time in ISO 8601 from 1970 to 9999, such as 2030-12-05T00:00:00Z";
  throw usageFailure(`${name} must be ${allowed}, not ${JSON.stringify(text)}`);
}

function momentOf({ date = "", time = "00:00", zone = "Z" }: Record<string, string>): number {
  // A Date takes 30 February for 2 March.
  const day = Date.parse(`${date}T00:00Z`);
  const isOnCalendar = !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
  const offset = zone.replace(/(\d\d):?(\d\d)$/, "$1:$2").toUpperCase();
  return isOnCalendar ? Date.parse(`${date}T${time}${offset}`) : Number.NaN;
}
