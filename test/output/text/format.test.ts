import { expect, it } from "vitest";
import {
  formatAge,
  formatAllowance,
  formatDuration,
  formatLong,
  formatTook,
  isoTime,
} from "../../../src/output/text/format.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

it.each([
  [-5, "0 ms"],
  [0.2, "1 ms"],
  [300, "300 ms"],
  [999.5, "1 s"],
  [1000, "1 s"],
  [1001, "2 s"],
  [45 * second, "45 s"],
  [59 * second + 1, "1 min"],
  [75 * second, "1 min 15 s"],
  [10 * minute, "10 min"],
  [hour - 1, "1 h"],
  [hour + 12 * minute, "1 h 12 min"],
  [hour + 12 * minute + 1, "1 h 13 min"],
  [24 * hour, "24 h"],
])("%d ms are %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it.each([
  [-5, "0 s"],
  [3999, "3 s"],
  [minute - 1, "59 s"],
  [hour - 1, "59 min"],
  [24 * hour - 1, "23 h"],
  [49 * hour, "2 d"],
])("what is %d ms old is %s old", (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});

it.each([
  [0, "1970-01-01T00:00:00.000Z"],
  [Date.UTC(2026, 10, 5, 1, 2, 3, 4), "2026-11-05T01:02:03.004Z"],
  [1e300, undefined],
  [undefined, undefined],
])("the ISO time of %s is %s", (at, text) => {
  expect(isoTime(at)).toBe(text);
});

it.each([
  [12_345, "12,345"],
  [2_147_483_646, "2,147,483,646"],
  [2_147_483_647, "unlimited"],
  [3e9, "unlimited"],
])("a limit of %d is %s", (number, text) => {
  expect(formatAllowance(number)).toBe(text);
});

it.each([
  [90 * second, "1 min 30 s"],
  [47 * hour, "47 h"],
  [2 * day, "2 d"],
  [2 * day + 1, "2 d 1 h"],
  [4 * day + 12 * hour, "4 d 12 h"],
])("%i ms, at length, are %s", (ms, text) => {
  expect(formatLong(ms)).toBe(text);
});

it.each([
  [0, "0 ms"],
  [999.4, "999 ms"],
  [1200, "1 s"],
  [1600, "2 s"],
  [59_700, "1 min"],
  [149_400, "2 min 29 s"],
  [3_629_000, "1 h"],
  [3 * 86_400_000 + 1_700_000, "3 d"],
])("what took %d ms took %s", (ms, expected) => expect(formatTook(ms)).toBe(expected));
