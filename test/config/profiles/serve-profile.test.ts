import { describe, expect, it } from "vitest";
import {
  isServeProfile,
  serveProfileChange,
  serveProfileNames,
  servedKeys,
  withServeProfile,
} from "../../../src/config/profiles/serve-profile.ts";
import type { ProfileData } from "../../../src/config/types.ts";

const url = "http://127.0.0.1:4010/v1";
const shop = { baseUrl: "https://shop.example/v1", apiKey: "of the shop" };
const made = { baseUrl: url, apiKey: "first", madeByServe: true };

it("may save a profile under two names", () => {
  expect(serveProfileNames(4011)).toEqual(["local", "local-4011"]);
});

it.each([
  ["one that is not there", "new", true],
  ["its own", "local", true],
  ["one of the user", "shop", false],
])("replaces %s: %s, %s", (_what, name, may) => {
  expect(isServeProfile({ profiles: { local: made, shop } }, name)).toBe(may);
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
  const saved = { baseUrl: url, apiKey: "first" };

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
    expect(withServeProfile(before, "local", saved)).toEqual(after);
    expect(serveProfileChange(before, after, "local")).toBe(change);
  });

  it("is not written if it is the same", () => {
    const data = { current: "local", profiles: { local: made } };
    expect(withServeProfile(data, "local", saved)).toBe(data);
    expect(serveProfileChange(data, data, "local")).toBeUndefined();
  });
});
