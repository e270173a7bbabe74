import { describe, expect, it } from "vitest";
import { parseDuration, isoTime } from "../../src/core/times.ts";

describe("parseDuration", () => {
  it.each([
    ["0", 0],
    ["30", 30_000],
    ["030", 30_000],
    ["1.5", 1500],
    ["250ms", 250],
    ["0.4ms", 0],
    ["0.5ms", 1],
    ["45s", 45_000],
    ["1.1s", 1100],
    ["2m", 120_000],
    ["0.5h", 1_800_000],
    ["24h", 86_400_000],
    ["596h", 2_145_600_000],
    ["720h", 2_592_000_000],
    ["9".repeat(400), Number.POSITIVE_INFINITY],
  ])("%s is %i ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it("reads days where they are allowed", () => {
    expect(parseDuration("1.5d", { hasDays: true })).toBe(129_600_000);
  });

  const invalid =
    "| |-1|+1|1e3|1E3s|0x10|.5|5.|1,5|1_000|30 s| 30|30\n|30S|5d|1m30s|s|Infinity|NaN|٣";
  it.each(invalid.split("|"))("rejects %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe("isoTime", () => {
  it.each([
    ["1970-01-01", 0],
    ["9999-12-31T23:59:59.999Z", Date.UTC(10_000) - 1],
    ["9999-12-31T23:59:59Z", Date.UTC(10_000) - 1_000],
  ])("%s is %i", (text, moment) => {
    expect(isoTime.parse(text)).toBe(moment);
  });

  it.each(["1969-12-31T23:59:59Z", "9999-12-31T23:59:59-00:01", "10000-01-01"])(
    "rejects %s",
    (text) => {
      expect(isoTime.parse(text)).toBeUndefined();
    },
  );
});
