import { describe, expect, it } from "vitest";
import { int64Max, int64Min, parseInt64, toInt64 } from "../../src/core/int64.ts";

describe("parseInt64", () => {
  it.each<[string, bigint | undefined]>([
    ["0", 0n],
    ["-0", 0n],
    ["-5", -5n],
    ["9223372036854775807", int64Max],
    ["-9223372036854775808", int64Min],
    ["9223372036854775808", undefined],
    ["-9223372036854775809", undefined],
    ["007", undefined],
    ["+5", undefined],
    ["1.0", undefined],
    ["1e3", undefined],
    ["", undefined],
    ["-", undefined],
    [" 1", undefined],
    ["1\n", undefined],
    ["٣", undefined],
  ])("%j", (text, expected) => {
    expect(parseInt64(text)).toBe(expected);
  });
});

describe("toInt64", () => {
  it.each<[unknown, bigint | undefined]>([
    [0, 0n],
    [-0, 0n],
    [-7, -7n],
    [9007199254740991, 9007199254740991n],
    [9007199254740992, undefined],
    [1.5, undefined],
    [Number.NaN, undefined],
    [int64Max, int64Max],
    [int64Max + 1n, undefined],
    [int64Min - 1n, undefined],
    ["5", undefined],
    [null, undefined],
    [undefined, undefined],
  ])("%s", (value, expected) => {
    expect(toInt64(value)).toBe(expected);
  });
});
