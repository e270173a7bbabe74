import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limiterId } from "../../../src/rate-limiter/log/segment-paths.ts";
import { sha256 } from "../../../src/rate-limiter/log/sha256.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("SHA-256", () => {
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ])("of %j, as FIPS 180-4 has it", (text, expected) => {
    expect(sha256(text)).toBe(expected);
  });

  it("of every length up to four blocks is that of Node", () => {
    for (let length = 0; length <= 260; length += 1) {
      const text = "x".repeat(length);
      expect(sha256(text)).toBe(digest(text));
    }
  });

  it("of any text is that of Node", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        expect(sha256(text)).toBe(digest(text));
      }),
    );
  });
});

it("names the state of each key at each origin by itself", () => {
  const names = ["https://a.example", "https://b.example"].flatMap((origin) =>
    ["key-1", "key-2"].map((key) => limiterId(origin, key)),
  );
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/);
});
