import { describe, expect, it } from "vitest";
import {
  parseBan,
  parseTimeOption,
  parseOrigin,
} from "../../../../src/commands/serve/settings/option-values.ts";

describe("parseBan", () => {
  it.each([
    ["5s", 5_000],
    ["10m", 600_000],
    ["1", 1_000],
    ["1d", 86_400_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseBan(text)).toBe(ms);
  });

  it.each(["", "0", "999ms", "25h", "-5s", "5 s", "ever"])("refuses %j", (text) => {
    expect(() => parseBan(text)).toThrow("It must be a duration from 1s to 1d");
  });
});

describe("parseOrigin", () => {
  it.each([
    ["http://localhost:5173", "http://localhost:5173"],
    ["https://Shop.example/", "https://shop.example"],
    ["http://[::1]:80", "http://[::1]"],
  ])("%s is %s", (text, origin) => {
    expect(parseOrigin(text)).toBe(origin);
  });

  it.each(["", "*", "null", "localhost:5173", "ftp://x", "http://x/path", "http://a@b", "http://"])(
    "refuses %j",
    (text) => {
      expect(() => parseOrigin(text)).toThrow("It must be an origin");
    },
  );
});

describe("parseTimeOption", () => {
  it.each([
    ["2030-12-05T00:00:00Z", Date.UTC(2030, 11, 5)],
    ["2030-12-05", Date.UTC(2030, 11, 5)],
    ["2030-12-05T01:30", Date.UTC(2030, 11, 5, 1, 30)],
    ["2030-12-05 01:30:15.250+01:30", Date.UTC(2030, 11, 5, 0, 0, 15, 250)],
    ["2030-12-05t01:30z", Date.UTC(2030, 11, 5, 1, 30)],
    ["2030-12-05T00:00:00+0100", Date.UTC(2030, 11, 4, 23)],
    ["2028-02-29", Date.UTC(2028, 1, 29)],
    ["1970-01-01", 0],
    ["9999-12-31T23:59:59Z", Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])("%s", (text, moment) => {
    expect(parseTimeOption(text)).toBe(moment);
  });

  it.each([
    "",
    "now",
    "2030",
    "2030-13-01",
    "2030-02-30",
    "2027-02-29",
    "2030-12-05T25:00",
    "2030-12-05T00:61Z",
    "1969-12-31",
    "10000-01-01",
    "12/05/2030",
    "1764892800",
    "2030-12-05T00:00:00+99:00",
  ])("refuses %j", (text) => {
    expect(() => parseTimeOption(text)).toThrow("It must be a time in ISO 8601");
  });
});
