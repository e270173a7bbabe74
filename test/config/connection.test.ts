import { describe, expect, it } from "vitest";
import { findSources, targetOf as targetFrom } from "../../src/config/connection.ts";
import type { ProfileData } from "../../src/config/profiles/profiles.ts";
import { settingsFrom } from "./support/settings.ts";

const key = "pets-key-of-the-shop";
const data: ProfileData = {
  current: "shop",
  profiles: {
    shop: { baseUrl: "https://shop.example/v1", apiKey: key },
    constructor: { baseUrl: "https://made.example/v1", apiKey: "constructed-key" },
    keyless: { baseUrl: "https://keyless.example/v1" },
    plain: { baseUrl: "http://plain.example/v1", apiKey: "plain-key" },
    broken: { baseUrl: "no address", apiKey: "broken-key" },
    local: { baseUrl: "http://127.0.0.1:4010/v1", apiKey: "local-key" },
  },
};
const none: ProfileData = { profiles: {} };
const usage = { exitCode: 2 };
const noKey = { exitCode: 4, code: "no_api_key" };
const otherOrigin = { exitCode: 4, code: "key_not_for_origin" };

type Given = Readonly<Record<string, unknown>>;
const profile = (name: string): Given => ({ profile: name });
const sourcesOf = (given: Given, kept: ProfileData = data) =>
  findSources(settingsFrom(given), async () => kept);
const targetOf = async (given: Given, kept?: ProfileData) =>
  targetFrom(await sourcesOf(given, kept));

describe("the target of requests", () => {
  it("returns the key command of a profile", async () => {
    const vault = { baseUrl: "https://shop.example/v1", keyCommand: "op read key" };
    const target = await targetOf(profile("vault"), { profiles: { vault } });
    expect(target).toMatchObject({
      key: { command: "op read key", from: "the key command of profile vault" },
    });
  });

  const wrongLimiter = { profiles: { a: { baseUrl: "https://a.example/v1", limiter: "x" } } };
  const usable = ["`pets profile use broken`", "broken, constructor, local, plain, shop"];

  it.each<[string, Given, ProfileData, readonly string[]]>([
    ["no API key", {}, none, ["`pets login`", "`pets serve`"]],
    ["no API key: no profile is current", {}, { ...data, current: "ghost" }, usable],
    ["profile keyless has no API key", profile("keyless"), data, ["login --profile keyless`"]],
    ["profile keyless has no API key", {}, { ...data, current: "keyless" }, ["`pets login`"]],
    ["profile a has no API key", profile("a"), wrongLimiter, ["login --profile a`"]],
    [
      'unknown profile "lokal" in --profile; did you mean "local"?',
      profile("lokal"),
      data,
      ["profile list"],
    ],
  ])("says %s, and what to do with %j", async (message, given, kept, hints) => {
    await expect(targetOf(given, kept)).rejects.toMatchObject({
      ...(message.startsWith("unknown") ? usage : noKey),
      message,
      hints: hints.map((hint) => expect.stringContaining(hint)),
    });
  });

  it("does not open the profiles if key and base URL come from elsewhere", async () => {
    const given = {
      PETS_API_KEY: "env",
      baseUrl: "https://a.example/v1",
      PETS_PROFILE: "ghost",
    };
    const sources = await findSources(settingsFrom(given), () => {
      throw new Error("the profiles were opened");
    });
    expect(targetFrom(sources)).toMatchObject({
      key: { value: "env" },
      baseUrl: new URL(given.baseUrl),
    });
  });

  const outside = { PETS_API_KEY: "env", PETS_BASE_URL: "https://env.example/v1" };
  const staging = "https://shop.example:443/staging/v1";

  it.each<[given: Given, url: string, apiKey: string, from: string | undefined]>([
    [{}, "https://shop.example/v1", key, "shop"],
    [profile("local"), "http://127.0.0.1:4010/v1", "local-key", "local"],
    [profile("constructor"), "https://made.example/v1", "constructed-key", "constructor"],
    [{ PETS_API_KEY: "env" }, "https://shop.example/v1", "env", undefined],
    [{ ...outside, profile: "local" }, "http://127.0.0.1:4010/v1", "local-key", "local"],
    [{ ...outside, PETS_PROFILE: "local" }, "https://env.example/v1", "env", undefined],
    [outside, "https://env.example/v1", "env", undefined],
    [{ ...outside, baseUrl: "https://f.example/v1" }, "https://f.example/v1", "env", undefined],
    // The same origin.
    [{ baseUrl: staging }, "https://shop.example/staging/v1", key, "shop"],
    [{ profile: "plain", allowHttp: true }, "http://plain.example/v1", "plain-key", "plain"],
  ])("returns with %j %s and the key %s", async (given, href, value, from) => {
    const target = await targetOf(given);
    expect(target).toMatchObject({ baseUrl: { href }, key: { value } });
    expect(target.key.from).toBe(from === undefined ? "PETS_API_KEY" : `profile ${from}`);
  });

  const elsewhere = /^the key of profile shop is for https:\/\/shop\.example, and .*PETS_BASE_URL/;
  const fromOutside = { PETS_API_KEY: "env", PETS_PROFILE: "toString" };

  it.each<[given: Given, facts: object, RegExp, kept?: ProfileData]>([
    [{}, noKey, /^no API key$/, { ...none, current: "toString" }],
    [{ PETS_API_KEY: "env" }, usage, /^PETS_API_KEY is set, but no base URL$/, none],
    [profile("ghost"), usage, /^unknown profile "ghost" in --profile$/],
    [{ ...outside, profile: "ghost" }, usage, /^unknown profile "ghost" in --profile$/],
    [{ ...outside, profile: "keyless" }, noKey, /^profile keyless has no API key$/],
    [{ ...outside, profile: "shop", baseUrl: "https://a.example" }, otherOrigin, /^the key of/],
    [fromOutside, usage, /^unknown profile "toString" in PETS_PROFILE$/],
    [profile("plain"), usage, /base URL of profile plain must use https;/],
    [profile("broken"), usage, /broken must/],
    [{ PETS_BASE_URL: "https://other.example/v1" }, otherOrigin, elsewhere],
    [{ PETS_BASE_URL: "http://localhost/v1" }, otherOrigin, elsewhere],
    [{ PETS_BASE_URL: "https://shop.example:8443/v1" }, otherOrigin, elsewhere],
    [{ PETS_BASE_URL: "https://shop.example.other.example/v1" }, otherOrigin, elsewhere],
    [{ profile: "broken", baseUrl: "https://a.example/v1" }, otherOrigin, /another address/],
  ])("refuses %j, and shows no key", async (given, facts, message, kept) => {
    const error: Error = await targetOf(given, kept).catch((thrown) => thrown);
    expect(error).toMatchObject({ ...facts, message: expect.stringMatching(message) });
    expect(error.message).not.toContain(key);
  });
});

it.each<[Given, object]>([
  [{}, { limiter: { host: "own" } }],
  [{ PETS_LIMITER: "redis://env" }, { limiter: { host: "env" } }],
  // The profile is not read.
  [{ PETS_API_KEY: "k", baseUrl: "https://x/v1" }, { limiter: undefined }],
])("the settings with %j have %j, even without a key", async (given, expected) => {
  const profiles = { shop: { baseUrl: "https://s/v1", limiter: "redis://own" } };
  const { settings } = await sourcesOf(given, { current: "shop", profiles });
  expect(settings).toMatchObject(expected);
});

const from = (value: unknown, place: string) => ({ value, from: place });
const again = "Log in again: `pets login --profile shop`.";

it.each<[Given, object]>([
  [{}, { profile: from("shop", "current"), key: { ...from(key, "profile shop"), hint: again } }],
  [{ PETS_PROFILE: "plain" }, { baseUrl: from("http://plain.example/v1", "profile plain") }],
  [profile("ghost"), { profile: from("ghost", "--profile"), key: undefined }],
  [{ PETS_API_KEY: "env" }, { key: from("env", "PETS_API_KEY") }],
])("with %j it is known where each part comes from: %j", async (given, expected) => {
  expect(await sourcesOf(given)).toMatchObject(expected);
});
