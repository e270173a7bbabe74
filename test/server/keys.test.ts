import { describe, expect, it } from "vitest";
import { bearerToken, furtherKey, isSameKey, keyRecord, makeKey } from "../../src/server/keys.ts";

describe("bearerToken", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["BEARER a:b~c", "a:b~c"],
    ["Bearer  abc", "abc"],
    [""],
    ["Bearer"],
    ["Bearer "],
    ["Bearer abc "],
    ["Bearer a b"],
    ["Basic abc"],
    ["abc"],
    ["Bearer\tabc"],
    ["Bearer é"],
  ])("of %j is %j", (header = "", token?: string) => {
    expect(bearerToken(header)).toBe(token);
  });
});

it("makes unique keys without characters that a shell would interpret", () => {
  const keys = new Set(Array.from({ length: 1000 }, makeKey));
  expect(keys.size).toBe(1000);
  for (const key of keys) expect(key).toMatch(/^pets_[0-9A-Za-z]{32}$/);
});

it("makes the same further key of the same things only", () => {
  const asked: readonly Parameters<typeof furtherKey>[] = [
    ["one", "secret", 2, 0],
    ["one", "secret", 2, 1],
    ["one", "secret", 3, 0],
    ["one", "other", 2, 0],
    ["two", "secret", 2, 0],
  ];
  const made = asked.map((each) => furtherKey(...each));
  expect(made).toEqual(asked.map((each) => furtherKey(...each)));
  expect(new Set(made).size).toBe(asked.length);
  for (const key of made) expect(key).toMatch(/^pets_[0-9A-Za-z]{32}$/);
});

it("stores the SHA-256 hash of a key, and its plan", () => {
  const record = keyRecord("abc", "pro");
  expect(Buffer.from(record.hash).toString("hex")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  expect(record).toMatchObject({ id: "ba7816bf8f01cfea", plan: "pro" });
  expect(isSameKey(record, keyRecord("abc", "free"))).toBe(true);
  expect(isSameKey(record, keyRecord("abd", "pro"))).toBe(false);
});
