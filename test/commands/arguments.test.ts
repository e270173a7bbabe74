import { assert, bigInt, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseId, parseLimit, parseName } from "../../src/commands/arguments.ts";

describe("parseLimit", () => {
  it.each([
    ["1", 1],
    ["20", 20],
    ["100", 100],
  ])("accepts %s", (text, limit) => {
    expect(parseLimit(text, "--limit")).toBe(limit);
  });

  it.each(["", "0", "101", "-1", "+5", "007", "1.0", "1e1", " 5", "5 ", "٥", "1".repeat(400)])(
    "refuses %j",
    (text) => {
      expect(() => parseLimit(text, "--limit")).toThrow(/--limit must be .* not "/);
    },
  );
});

describe("parseId", () => {
  it("accepts every int64", () => {
    const anyInt64 = bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    assert(
      property(anyInt64, (id) => {
        expect(parseId(`${id}`, "ID")).toBe(id);
      }),
    );
  });

  it.each(["", "-", "1.0", "1e3", "007", "-07", "+5", "0x1", " 1", "1 ", "1n", "1_000", "٣"])(
    "rejects %j, which is not a number",
    (text) => {
      expect(() => parseId(text, "--category")).toThrow(
        `--category must be a whole number such as 7 or -7, not ${JSON.stringify(text)}`,
      );
    },
  );

  it.each(["9223372036854775808", "-9223372036854775809", "1".repeat(99)])(
    "rejects %s, which is out of range",
    (text) => {
      expect(() => parseId(text, "ID")).toThrow(
        `ID must be from -9223372036854775808 to 9223372036854775807, not "${text}"`,
      );
    },
  );
});

describe("parseName", () => {
  it.each(["Rex", " Rex ", "名前", "--json"])("leaves %j unchanged", (name) => {
    expect(parseName(name, "--name")).toBe(name);
  });

  it.each(["", " ", "\t\n", "\u00a0\u3000"])("refuses %j", (name) => {
    expect(() => parseName(name, "--name")).toThrow(/^--name must not be empty/);
  });
});
