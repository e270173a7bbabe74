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
 * The moment that an HTTP date in any of its three forms names (RFC 9110, 5.6.7), in ms since the
 * epoch, or undefined where `text` is none. `now` (ms) settles the century of a two-digit year:
 * over 50 years ahead means the past one.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  if (text === lastParsed.text) return lastParsed.moment;
  for (const form of formats) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    const moment = momentOf(groups, now);
    if (groups.year?.length === 4) lastParsed = { text, moment };
    return moment;
  }
  return undefined;
}

/** The replies of one second have the same date, which is looked at several times in each. */
let lastParsed: { readonly text: string; readonly moment: number | undefined } = {
  text: "",
  moment: undefined,
};

function momentOf(groups: Record<string, string>, now: number): number | undefined {
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
