import { describe, expect, it } from "vitest";
import { ageOf, type Timestamp } from "../../../src/rate-limiter/rules/records.ts";

const minute = 60_000;
const now: Timestamp = { boot: "a", uptime: 100_000, wall: 1e12 };
const then = (boot: string, uptime: number, wall: number): Timestamp => ({ boot, uptime, wall });

describe("ageOf", () => {
  it.each<[string, Timestamp, number | undefined]>([
    ["by the uptime", then("a", 95_000, 1e12 - 5000), 5000],
    ["whatever the clock was then", then("a", 95_000, 1e12 + 3_600_000), 5000],
    ["a tick ahead", then("a", 100_010, 1e12), -10],
    ["two long ticks ahead", then("a", 102_500, 1e12), -2500],
    ["in the future", then("a", 102_501, 1e12), undefined],
    ["before the machine was started again: by the clock", then("b", 900_000, 1e12 - 7000), 7000],
    ["before that, when the clock was ahead", then("b", 1, 1e12 + minute), 0],
    ["before that, when the clock was ahead by two minutes", then("b", 1, 1e12 + 2 * minute), 0],
    ["before that, and far in the future", then("b", 1, 1e12 + 2 * minute + 1), undefined],
  ])("%s", (_name, moment, expected) => {
    expect(ageOf(moment, now)).toBe(expected);
  });

  it.each<[string, Timestamp, number]>([
    ["an earlier uptime is of the same start", then("", 95_000, 1e12 - 9000), 5000],
    ["a later one is of another", then("", 200_000, 1e12 - 9000), 9000],
  ])("without a boot id: %s", (_name, moment, expected) => {
    expect(ageOf(moment, { ...now, boot: "" })).toBe(expected);
  });
});
