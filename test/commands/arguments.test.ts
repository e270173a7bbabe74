import { assert, bigInt, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseId, parseLimit, parseName, parseWord } from "../../src/commands/arguments.ts";

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

describe("parseWord", () => {
  const statuses = ["available", "pending", "sold"] as const;

  it("accepts a word", async () => {
    expect(await parseWord("sold", "--status", statuses)).toBe("sold");
  });

  it.each([
    ["avialable", "available"],
    ["Sold", "sold"],
    ["pendig", "pending"],
  ])("suggests what is close to %s", async (text, nearest) => {
    await expect(parseWord(text, "--status", statuses)).rejects.toMatchObject({
      kind: "usage",
      message: `--status must be one of available, pending, sold, not "${text}"`,
      hints: [`did you mean "${nearest}"?`],
    });
  });

  it.each(["reserved", "xyz", "vermittelt", ""])("suggests nothing for %j", async (text) => {
    const failure = { kind: "usage", hints: [] };
    await expect(parseWord(text, "--status", statuses)).rejects.toMatchObject(failure);
  });
});

describe("parseName", () => {
  it.each(["Rex", " Rex ", "名前", "--json"])("leaves %j unchanged", (name) => {
    expect(parseName(name, "--name")).toBe(name);
  });

  it.each(["", " ", "\t\n", "\u00a0\u3000"])("refuses %j", (name) => {
    expect(() => parseName(name, "--name")).toThrow(/^--name must not be empty/);
  });
});
