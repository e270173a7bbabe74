import { Command } from "@commander-js/extra-typings";
import { assert, bigInt, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { needing, parseId, parseLimit, parseName } from "../../src/commands/arguments.ts";

describe("parseLimit", () => {
  it.each([
    ["1", 1],
    ["20", 20],
    ["100", 100],
  ])("accepts %s", (text, limit) => {
    expect(parseLimit(text)).toBe(limit);
  });

  it.each([
    ...["0", "101", "-1", "1".repeat(400)].map((text) => [text, "from 1 to 100"]),
    ...["", "+5", "007", "1.0", "1e1", " 5", "5 ", "٥"].map((text) => [text, "an integer"]),
  ])("refuses %j: it must be %s", (text, allowed) => {
    expect(() => parseLimit(text)).toThrow(`It must be ${allowed}.`);
  });
});

describe("parseId", () => {
  it("accepts every int64", () => {
    const anyInt64 = bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    assert(
      property(anyInt64, (id) => {
        expect(parseId(`${id}`)).toBe(id);
      }),
    );
  });

  it.each(["", "-", "1.0", "1e3", "007", "-07", "+5", "0x1", " 1", "1 ", "1n", "1_000", "٣"])(
    "rejects %j, which is not a number",
    (text) => {
      expect(() => parseId(text)).toThrow("It must be an integer.");
    },
  );

  it.each(["9223372036854775808", "-9223372036854775809", "1".repeat(99)])(
    "rejects %s, which is out of range",
    (text) => {
      expect(() => parseId(text)).toThrow(
        "It must be from -9223372036854775808 to 9223372036854775807.",
      );
    },
  );
});

describe("parseName", () => {
  it.each(["Rex", " Rex ", "名前", "--json"])("leaves %j unchanged", (name) => {
    expect(parseName(name)).toBe(name);
  });

  it.each(["", " ", "\t\n", "\u00a0\u3000"])("refuses %j", (name) => {
    expect(() => parseName(name)).toThrow("It must not be empty.");
  });
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
