import { afterEach, expect, it } from "vitest";
import {
  formatAge,
  formatAllowance,
  formatCount,
  formatDateTime,
  formatDuration,
  formatLong,
  formatMoment,
  formatTimeOfDay,
  formatTook,
  formatZone,
  isoTime,
  plural,
} from "../../src/core/format.ts";

const zone = process.env.TZ;

afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const now = Date.UTC(2026, 10, 5, 22, 0, 0);
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

it.each([
  ["Africa/Abidjan", now, "22:00"],
  ["Africa/Abidjan", now + 1, "22:00:01"],
  ["Africa/Abidjan", now + 27 * second, "22:00:27"],
  ["Africa/Abidjan", now + minute - 1, "22:01"],
  ["Africa/Abidjan", now + minute + 1, "22:01:01"],
  ["Africa/Abidjan", now + 5 * minute, "22:05"],
  ["Africa/Abidjan", now + 10 * minute + 1, "22:11"],
  ["Africa/Abidjan", now - 30 * second, "21:59:30"],
  ["Africa/Abidjan", now + 2 * hour, "00:00"],
  ["Africa/Abidjan", now + 2 * hour + minute, "2026-11-06 00:01"],
  ["Africa/Abidjan", now + 2 * hour + 27 * second, "2026-11-06 00:01"],
  ["Africa/Abidjan", now - 22 * hour - minute, "2026-11-04 23:59"],
  ["Africa/Abidjan", now + 24 * hour - minute, "2026-11-06 21:59"],
  ["Africa/Abidjan", now + 24 * hour, "2026-11-06 22:00"],
  ["America/New_York", now + 6 * hour, "23:00"],
  ["America/New_York", now + 7.5 * hour, "2026-11-06 00:30"],
  ["Europe/Berlin", now + 5 * minute, "23:05"],
  ["Asia/Kathmandu", now + 27 * second, "03:45:27"],
  ["America/New_York", now + 48 * hour, "2026-11-07 17:00"],
  ["Africa/Abidjan", 1e300, "an unknown time"],
])("in %s, %d is %s", (place, at, text) => {
  process.env.TZ = place;
  expect(formatMoment(at, now)).toBe(text);
});

const january = Date.UTC(2027, 0, 5, 22);
const july = Date.UTC(2027, 6, 5, 22);

it.each([
  // What Node does not know, and some texts of POSIX, are UTC.
  ["Mars/Olympus", july, "22:00 UTC"],
  ["europe/berlin", july, "22:00 UTC"],
  ["Europe/Berlin ", july, "22:00 UTC"],
  ["CET-1CEST,M3.5.0,M10.5.0/3", july, "22:00 UTC"],
  ["CET-1CEST", january, "22:00 UTC"],
  ["<+03>-3", july, "22:00 UTC"],
  ["+03:00", july, "22:00 UTC"],
  ["UTC-5:30", july, "22:00 UTC"],
  ["Etc/Unknown", july, "22:00 UTC"],
  ["", july, "22:00 UTC"],
  ["Z", july, "22:00 UTC"],
  ["GMT0", july, "22:00 UTC"],
  ["Etc/UTC", july, "22:00 UTC"],
  ["UTC", july, "22:00 UTC"],
  // What it knows is local time.
  ["Europe/London", january, "22:00"],
  ["Europe/London", july, "23:00"],
  ["Atlantic/Reykjavik", july, "22:00"],
  ["EST5EDT", july, "18:00"],
  ["JST-9", july, "07:00"],
  ["UTC+3", july, "19:00"],
  [":Europe/Berlin", july, "00:00"],
])("in the zone %j, %d is %s", (place, at, text) => {
  process.env.TZ = place;
  expect(formatMoment(at, at - 30 * minute)).toBe(text);
  expect(formatZone(at)).toBe(text.slice(5));
});

it("says UTC with the date as well", () => {
  process.env.TZ = "Mars/Olympus";
  expect(formatMoment(january, now)).toBe("2027-01-05 22:00 UTC");
});

it.each([
  ["UTC", "2026-11-05 22:00", "22:00:07.042"],
  ["Europe/Berlin", "2026-11-05 23:00", "23:00:07.042"],
  ["Asia/Tokyo", "2026-11-06 07:00", "07:00:07.042"],
])("in %s a time is %s, and %s of the day", (place, dateTime, timeOfDay) => {
  process.env.TZ = place;
  expect(formatDateTime(now + 7042)).toBe(dateTime);
  expect(formatTimeOfDay(now + 7042)).toBe(timeOfDay);
});

type Formats = (value: number) => string | undefined;

it.each<[Formats, value: number, text: string | undefined]>([
  [formatCount, 12_345, "12,345"],
  [(count) => plural(count, "request"), 0, "0 requests"],
  [(count) => plural(count, "request"), 1, "1 request"],
  [(count) => plural(count, "request"), 2000, "2,000 requests"],
  [formatAllowance, 12_345, "12,345"],
  [formatAllowance, 2_147_483_646, "2,147,483,646"],
  [formatAllowance, 2_147_483_647, "unlimited"],
  [formatAllowance, 3e9, "unlimited"],
  [formatDuration, -5, "0 ms"],
  [formatDuration, 0.2, "1 ms"],
  [formatDuration, 300, "300 ms"],
  [formatDuration, 999.5, "1 s"],
  [formatDuration, second, "1 s"],
  [formatDuration, 1001, "2 s"],
  [formatDuration, 45 * second, "45 s"],
  [formatDuration, 59 * second + 1, "1 min"],
  [formatDuration, 75 * second, "1 min 15 s"],
  [formatDuration, 10 * minute, "10 min"],
  [formatDuration, hour - 1, "1 h"],
  [formatDuration, hour + 12 * minute, "1 h 12 min"],
  [formatDuration, hour + 12 * minute + 1, "1 h 13 min"],
  [formatDuration, 24 * hour, "24 h"],
  [formatLong, 90 * second, "1 min 30 s"],
  [formatLong, 47 * hour, "47 h"],
  [formatLong, 2 * day, "2 d"],
  [formatLong, 2 * day + 1, "2 d 1 h"],
  [formatLong, 4 * day + 12 * hour, "4 d 12 h"],
  [formatTook, 0, "0 ms"],
  [formatTook, 999.4, "999 ms"],
  [formatTook, 1200, "1 s"],
  [formatTook, 1600, "2 s"],
  [formatTook, 59_700, "1 min"],
  [formatTook, 149_400, "2 min 29 s"],
  [formatTook, 3_629_000, "1 h"],
  [formatTook, 3 * day + 1_700_000, "3 d"],
  [formatAge, -5, "0 s"],
  [formatAge, 3999, "3 s"],
  [formatAge, minute - 1, "59 s"],
  [formatAge, hour - 1, "59 min"],
  [formatAge, 24 * hour - 1, "23 h"],
  [formatAge, 49 * hour, "2 d"],
  [isoTime, 0, "1970-01-01T00:00:00.000Z"],
  [isoTime, Date.UTC(2026, 10, 5, 1, 2, 3, 4), "2026-11-05T01:02:03.004Z"],
  [isoTime, 1e300, undefined],
  [() => isoTime(undefined), 0, undefined],
])("%o of %d is %s", (format, value, text) => {
  expect(format(value)).toBe(text);
});
