import { afterEach, describe, expect, it } from "vitest";
import {
  formatCount,
  formatDateTime,
  formatMoment,
  formatTimeOfDay,
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

describe("formatMoment", () => {
  it.each([
    ["UTC", now, "22:00"],
    ["UTC", now + 1, "22:00:01"],
    ["UTC", now + 27 * second, "22:00:27"],
    ["UTC", now + minute - 1, "22:01"],
    ["UTC", now + minute + 1, "22:01:01"],
    ["UTC", now + 5 * minute, "22:05"],
    ["UTC", now + 10 * minute + 1, "22:11"],
    ["UTC", now - 30 * second, "21:59:30"],
    ["UTC", now + 2 * hour, "00:00"],
    ["UTC", now + 2 * hour + minute, "2026-11-06 00:01"],
    ["UTC", now + 2 * hour + 27 * second, "2026-11-06 00:01"],
    ["UTC", now - 22 * hour - minute, "2026-11-04 23:59"],
    ["UTC", now + 24 * hour - minute, "2026-11-06 21:59"],
    ["UTC", now + 24 * hour, "2026-11-06 22:00"],
    ["America/New_York", now + 6 * hour, "23:00"],
    ["America/New_York", now + 7.5 * hour, "2026-11-06 00:30"],
    ["Europe/Berlin", now + 5 * minute, "23:05"],
    ["Asia/Kathmandu", now + 27 * second, "03:45:27"],
    ["America/New_York", now + 48 * hour, "2026-11-07 17:00"],
    ["UTC", 1e300, "an unknown time"],
  ])("in %s, %d is %s", (place, at, text) => {
    process.env.TZ = place;
    expect(formatMoment(at, now)).toBe(text);
  });
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

it("formats counts with separators, and their noun", () => {
  expect(formatCount(12_345)).toBe("12,345");
  expect([0, 1, 2_000].map((count) => plural(count, "request"))).toEqual([
    "0 requests",
    "1 request",
    "2,000 requests",
  ]);
});
