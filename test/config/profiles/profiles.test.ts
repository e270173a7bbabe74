import { expect, it } from "vitest";
import {
  currentProfile,
  findProfile,
  requireProfile,
  withCurrent,
  withoutApiKey,
  withoutProfile,
} from "../../../src/config/profiles/profiles.ts";

const shop = { baseUrl: "https://shop.example/v1", apiKey: "k" };
const data = { current: "shop", profiles: { shop, keyless: { baseUrl: "x" } } };

it.each([
  ["of an unknown name", findProfile(data, "nope"), undefined],
  ["of a name that every object has", findProfile(data, "constructor"), undefined],
  ["that is current", currentProfile(data), { name: "shop", profile: shop }],
  ["that is current and gone", currentProfile({ ...data, current: "gone" }), undefined],
])("finds the profile %s", (_which, found, expected) => {
  expect(found).toEqual(expected);
});

it.each([
  [
    "removes the current profile, and then none is current",
    withoutProfile(data, "shop"),
    { profiles: { keyless: { baseUrl: "x" } } },
  ],
  [
    "removes another profile, and keeps the current one",
    withoutProfile(data, "keyless"),
    { current: "shop", profiles: { shop } },
  ],
  [
    "removes a key and nothing else",
    withoutApiKey(data, { name: "shop", profile: shop }),
    { ...data, profiles: { ...data.profiles, shop: { baseUrl: shop.baseUrl } } },
  ],
])("%s", (_what, changed, expected) => {
  expect(changed).toEqual(expected);
});

it("returns the same data if there is nothing to change", () => {
  expect(withCurrent(data, "shop")).toBe(data);
  expect(withoutApiKey(data, { name: "keyless", profile: { baseUrl: "x" } })).toBe(data);
});

it("names the flag that asked for an unknown profile", () => {
  expect(() => requireProfile(data, "nope", "PETS_PROFILE")).toThrow(
    expect.objectContaining({ exitCode: 2 }),
  );
  expect(() => requireProfile(data, "nope", "PETS_PROFILE")).toThrow(
    /^unknown profile "nope" in PETS_PROFILE/,
  );
});
