import { describe, expect, it } from "vitest";
import type { ProfileData } from "../../../src/config/profiles/profiles.ts";
import {
  isServeProfile,
  memoryProfiles,
  serveProfileChange,
  serveProfileNames,
  servedKeys,
  withoutServeProfile,
  withServeProfile,
} from "../../../src/config/profiles/serve-profile.ts";

const url = "http://127.0.0.1:4010/v1";
const shop = { baseUrl: "https://shop.example/v1", apiKey: "of the shop" };
const made = { baseUrl: url, apiKey: "first", madeByServe: true };
const inMemoryOf = (apiKey: string) => ({ baseUrl: url, apiKey, madeByServe: "memory" }) as const;

it("may save a profile under two names", () => {
  expect(serveProfileNames(4011)).toEqual(["local", "local-4011"]);
});

it.each([
  ["one that is not there", "new", { keepsData: true, inMemory: true }],
  ["its own", "local", { keepsData: true, inMemory: false }],
  ["one of the user", "shop", { keepsData: false, inMemory: false }],
  ["that of a store in memory", "memory", { keepsData: true, inMemory: true }],
])("a store may replace %s: %s, %j", (_what, name, { keepsData, inMemory }) => {
  const profiles = { local: made, shop, memory: inMemoryOf("x") };
  expect(isServeProfile({ profiles }, name, false)).toBe(keepsData);
  expect(isServeProfile({ profiles }, name, true)).toBe(inMemory);
});

it("removes the profile of a store in memory, and no other's", () => {
  const [memory, other] = [inMemoryOf("x"), inMemoryOf("y")];
  const data: ProfileData = { current: "a", profiles: { a: memory, b: made } };
  expect(memoryProfiles(data)).toEqual([{ name: "a", profile: memory }]);
  expect(withoutServeProfile(data, { name: "a", profile: memory })).toEqual({
    profiles: { b: made },
  });
  expect(withoutServeProfile(data, { name: "a", profile: other })).toBe(data);
  expect(withoutServeProfile(data, { name: "b", profile: made })).toBe(data);
});

it.each<[ProfileData["profiles"], string, readonly string[]]>([
  [{}, "local", []],
  [{ local: made, shop }, "local", ["first"]],
  [{ shop, local: made, other: { ...made, apiKey: "second" } }, "other", ["second", "first"]],
  [{ local: { baseUrl: url, apiKey: "unmarked" }, shop }, "local", ["unmarked"]],
  [{ local: { baseUrl: url, madeByServe: true } }, "local", []],
])("of the profiles %j, with %s first, the served keys are %j", (profiles, name, keys) => {
  expect(servedKeys({ profiles }, name)).toEqual(keys);
});

describe("a saved profile", () => {
  it.each<[string, ProfileData, ProfileData, string | undefined]>([
    [
      "becomes the current one if none is",
      { profiles: {} },
      { current: "local", profiles: { local: made } },
      "Saved base URL and key as profile local, now the current one.",
    ],
    [
      "becomes the current one if that is gone",
      { current: "ghost", profiles: { local: made } },
      { current: "local", profiles: { local: made } },
      "Profile local is now the current one.",
    ],
    [
      "leaves another current one alone",
      { current: "shop", profiles: { shop } },
      { current: "shop", profiles: { shop, local: made } },
      "Saved base URL and key as profile local.",
    ],
    [
      "says what it was",
      { current: "shop", profiles: { shop, local: { ...made, baseUrl: "http://[::1]:1/v1" } } },
      { current: "shop", profiles: { shop, local: made } },
      "Updated profile local: its base URL was http://[::1]:1/v1.",
    ],
    [
      "says that the key is another",
      { profiles: { local: { ...made, baseUrl: "http://[::1]:1/v1", apiKey: "old" } } },
      { current: "local", profiles: { local: made } },
      "Updated profile local, now the current one: its base URL was http://[::1]:1/v1, and it has another key.",
    ],
  ])("%s", (_what, before, after, change) => {
    expect(withServeProfile(before, "local", made)).toEqual(after);
    expect(serveProfileChange(before, after, "local")).toBe(change);
  });

  it("is not written if it is the same", () => {
    const data = { current: "local", profiles: { local: made } };
    expect(withServeProfile(data, "local", made)).toBe(data);
    expect(serveProfileChange(data, data, "local")).toBeUndefined();
  });
});
