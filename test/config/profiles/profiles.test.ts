import { expect, it } from "vitest";
import {
  currentProfile,
  findProfile,
  withCurrent,
  withoutApiKey,
  withoutProfile,
} from "../../../src/config/profiles/profiles.ts";

const shop = { baseUrl: "https://shop.example/v1", apiKey: "k" };
const keyless = { baseUrl: "x" };
const data = { current: "shop", profiles: { shop, keyless } };

it.each([
  ["of an unknown name", findProfile(data, "nope"), undefined],
  ["of a name that every object has", findProfile(data, "constructor"), undefined],
  ["that is current", currentProfile(data), { name: "shop", profile: shop }],
  ["that is current and gone", currentProfile({ ...data, current: "gone" }), undefined],
])("finds the profile %s", (_which, found, expected) => {
  expect(found).toEqual(expected);
});

it.each([
  ["the current profile", withoutProfile(data, "shop"), { profiles: { keyless } }],
  ["another profile", withoutProfile(data, "keyless"), { current: "shop", profiles: { shop } }],
  [
    "a key and nothing else",
    withoutApiKey(data, { name: "shop", profile: shop }),
    { ...data, profiles: { keyless, shop: { baseUrl: shop.baseUrl } } },
  ],
])("removes %s", (_what, changed, expected) => {
  expect(changed).toEqual(expected);
});

it("returns the same data if there is nothing to change", () => {
  expect(withCurrent(data, "shop")).toBe(data);
  expect(withoutApiKey(data, { name: "keyless", profile: keyless })).toBe(data);
});
