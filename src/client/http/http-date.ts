/** The three formats of an HTTP date (RFC 9110, 5.6.7), each with the day of the month. */
const formats = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) [A-Z][a-z]{2} \d{4} \d\d:\d\d:[0-5]\d GMT$/,
  // Sunday, 06-Nov-94 08:49:37 GMT
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-[A-Z][a-z]{2}-\d\d \d\d:\d\d:[0-5]\d GMT$/,
  // Sun Nov  6 08:49:37 1994
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} ([ \d]\d) \d\d:\d\d:[0-5]\d \d{4}$/,
];

/** Returns the time of an HTTP date in ms since the epoch; undefined if `text` is none. */
export function parseHttpDate(text: string): number | undefined {
  const match = formats.map((format) => format.exec(text)).find((found) => found !== null) ?? null;
  if (match === null) return undefined;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  // `Date` takes the 31st of February for the 3rd of March, and 24:00 for the next day.
  return new Date(time).getUTCDate() === Number(match[1]) ? time : undefined;
}
