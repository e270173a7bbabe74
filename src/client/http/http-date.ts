const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const month = `(?<month>${months.join("|")})`;
const time = String.raw`(?<hours>\d\d):(?<minutes>\d\d):(?<seconds>\d\d)`;
const formats = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(
    String.raw`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) ${month} (?<year>\d{4}) ${time} GMT$`,
  ),
  // Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(
    String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-${month}-(?<year>\d\d) ${time} GMT$`,
  ),
  // Sun Nov  6 08:49:37 1994
  new RegExp(
    String.raw`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} (?<day>[ \d]\d) ${time} (?<year>\d{4})$`,
  ),
];

/**
 * Returns the time of an HTTP date in any of its three formats (RFC 9110, 5.6.7) in ms since the epoch; undefined if
 * `text` is not an HTTP date. A two-digit year that would be over 50 years after `now` (ms) is in the past century.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const format of formats) {
    const groups = format.exec(text)?.groups;
    if (groups !== undefined) return toTime(groups, now);
  }
  return undefined;
}

function toTime(groups: Record<string, string>, now: number): number | undefined {
  const number = (name: string): number => Number(groups[name]);
  const year = fullYear(groups.year ?? "", now);
  const day = number("day");
  const date = Date.UTC(year, months.indexOf(groups.month ?? ""), day);
  const [hours, minutes, seconds] = [number("hours"), number("minutes"), number("seconds")];
  if (day < 1 || new Date(date).getUTCDate() !== day) return undefined;
  // A leap second is written as the 60th.
  if (hours > 23 || minutes > 59 || seconds > 60) return undefined;
  return date + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
