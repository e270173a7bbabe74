import { Command } from "@commander-js/extra-typings";
import { assert, bigInt, property } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  needing,
  parseId,
  parseLimit,
  parseName as parseNameOf,
} from "../../src/commands/arguments.ts";

const parseName = (text: string) => parseNameOf("--name", text);

it.each<[parse: (text: string) => unknown, text: string, value: unknown]>([
  [parseLimit, "1", 1],
  [parseLimit, "100", 100],
  [parseName, " Rex ", " Rex "],
  [parseName, "名前", "名前"],
  [parseName, "--json", "--json"],
])("%o accepts %j", (parse, text, value) => {
  expect(parse(text)).toBe(value);
});

it("parseId accepts every int64", () => {
  const anyInt64 = bigInt(-(2n ** 63n), 2n ** 63n - 1n);
  assert(property(anyInt64, (id) => parseId(`${id}`) === id));
});

const int64Range = "be from -9223372036854775808 to 9223372036854775807";

it.each<[parse: (text: string) => unknown, rule: string, texts: readonly string[]]>([
  [parseLimit, "be from 1 to 100", ["0", "101", "-1", "1".repeat(400)]],
  [parseLimit, "be an integer", ["", "+5", "007", "1.0", "1e1", " 5", "5 ", "٥"]],
  [parseId, "be an integer", ["", "-", "1.0", "1e3", "007", "-07", "+5", "0x1", " 1", "1 "]],
  [parseId, "be an integer", ["1n", "1_000", "٣"]],
  [parseId, int64Range, ["9223372036854775808", "-9223372036854775809", "1".repeat(99)]],
  [parseName, "not be empty", ["", " ", "\t\n", "\u00a0\u3000"]],
])("%o: it must %s, and is not in %j", (parse, rule, texts) => {
  for (const text of texts) expect(() => parse(text)).toThrow(`must ${rule}`);
});

const read = (...words: string[]) => {
  const command = new Command("serve")
    .option("--suite")
    .option("--list")
    .action(() => {});
  needing(command, "suite", ["list"])
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  return command.parse(words, { from: "user" }).opts();
};

describe("needing", () => {
  it("refuses an option without the one that it needs", () => {
    expect(() => read("--list")).toThrow(
      "error: option '--list' cannot be used without option '--suite'",
    );
    expect(read("--suite", "--list")).toEqual({ suite: true, list: true });
    expect(read("--suite")).toEqual({ suite: true });
  });

  it("throws for options that the command does not have", () => {
    expect(() => needing(new Command("x"), "suite", [])).toThrow(RangeError);
  });
});
