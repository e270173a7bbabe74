import { describe, expect, it } from "vitest";
import { describeKey, resolveTarget, resolveWithProfile } from "../../src/config/connection.ts";
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
const profile = (name: string, from = "profile"): Given => ({ [from]: name });
const baseUrl = (text: string, from = "baseUrl"): Given => ({ [from]: text });

const commanded: ProfileData = {
  profiles: { vault: { baseUrl: "https://shop.example/v1", keyCommand: "op read key" } },
};

describe("resolveTarget", () => {
  it("returns the key command of a profile", async () => {
    const settings = settingsFrom(profile("vault"));
    const target = await resolveTarget(settings, async () => commanded);
    expect(target).toMatchObject({ key: { command: "op read key" }, profile: "vault" });
  });

  it.each<[string, Given, ProfileData, RegExp, readonly string[]]>([
    ["nothing is saved", {}, none, /^no API key$/, ["`pets login`", "`pets serve`"]],
    [
      "several profiles have one",
      {},
      { ...data, current: "ghost" },
      /no profile is current/,
      ["`pets profile use broken`", "broken, constructor, local, plain, shop"],
    ],
    [
      "a named one has none",
      profile("keyless"),
      data,
      /keyless/,
      ["`pets login --profile keyless`"],
    ],
    ["the current one has none", {}, { ...data, current: "keyless" }, /keyless/, ["`pets login`"]],
    ["the name is nearly one", profile("lokal"), data, /did you mean "local"\?$/, ["profile list"]],
  ])("says what to do when %s", async (_what, changes, kept, message, hints) => {
    const failure: unknown = await resolveTarget(settingsFrom(changes), async () => kept).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      message: expect.stringMatching(message),
      hints: hints.map((hint) => expect.stringContaining(hint)),
    });
  });

  it("does not open the profiles if key and base URL come from elsewhere", async () => {
    const settings = settingsFrom({
      PETS_API_KEY: "env",
      ...baseUrl("https://a.example/v1"),
      ...profile("ghost"),
    });
    const connection = await resolveTarget(settings, async () => {
      throw new Error("the profiles were opened");
    });
    expect(connection).toEqual({
      key: { value: "env" },
      baseUrl: new URL("https://a.example/v1"),
    });
  });

  it.each<[string, Given, ProfileData, string, string]>([
    ["the current profile", {}, data, "https://shop.example/v1", key],
    ["a named profile", profile("local"), data, "http://127.0.0.1:4010/v1", "local-key"],
    [
      "a name that objects have",
      profile("constructor"),
      data,
      "https://made.example/v1",
      "constructed-key",
    ],
    ["a key from outside", { PETS_API_KEY: "env" }, data, "https://shop.example/v1", "env"],
    [
      "another path at the profile's origin",
      baseUrl("https://shop.example:443/staging/v1"),
      data,
      "https://shop.example/staging/v1",
      key,
    ],
    [
      "plain http that is allowed",
      { ...profile("plain"), allowHttp: true },
      data,
      "http://plain.example/v1",
      "plain-key",
    ],
  ])("%s", async (_what, changes, kept, url, apiKey) => {
    const connection = await resolveTarget(settingsFrom(changes), async () => kept);
    expect(connection).toMatchObject({ baseUrl: { href: url }, key: { value: apiKey } });
    expect(connection.profile).toBe(
      "PETS_API_KEY" in changes ? undefined : (changes.profile ?? "shop"),
    );
  });

  it.each<[string, Given, ProfileData, object, RegExp]>([
    ["nothing", {}, none, noKey, /no API key/],
    ["a current profile that is gone", {}, { ...none, current: "toString" }, noKey, /no API key/],
    ["a profile without key", profile("keyless"), data, noKey, /profile keyless has no API key/],
    ["a key alone", { PETS_API_KEY: "env" }, none, usage, /^PETS_API_KEY is set, but no base URL$/],
    ["an unknown profile", profile("ghost"), data, usage, /^unknown profile "ghost"$/],
    [
      "an unknown profile from the environment",
      { PETS_API_KEY: "env", ...profile("toString", "PETS_PROFILE") },
      data,
      usage,
      /^unknown profile "toString" in PETS_PROFILE$/,
    ],
    [
      "plain http in a profile",
      profile("plain"),
      data,
      usage,
      /base URL of profile plain must use https;/,
    ],
    ["a profile's invalid base URL", profile("broken"), data, usage, /broken must/],
    ...[
      "https://other.example/v1",
      "http://localhost/v1",
      "https://shop.example:8443/v1",
      "https://shop.example.other.example/v1",
    ].map((url): [string, Given, ProfileData, object, RegExp] => [
      `the profile's key for ${url}`,
      baseUrl(url, "PETS_BASE_URL"),
      data,
      otherOrigin,
      /profile shop is for https:\/\/shop\.example, and is not sent to .*PETS_BASE_URL/,
    ]),
    [
      "the key of a profile without an origin",
      { ...profile("broken"), ...baseUrl("https://a.example/v1") },
      data,
      otherOrigin,
      /another address/,
    ],
  ])("refuses %s", async (_what, changes, kept, facts, message) => {
    const connection = resolveTarget(settingsFrom(changes), async () => kept);
    await expect(connection).rejects.toMatchObject({
      ...facts,
      message: expect.stringMatching(message),
    });
    await expect(connection).rejects.not.toHaveProperty("message", expect.stringContaining(key));
  });
});

it.each([
  [{}, "…1234 from PETS_API_KEY", "Check PETS_API_KEY, or unset it to use a profile."],
  [{ profile: "shop" }, "…1234 of profile shop", "Log in again: `pets login --profile shop`."],
  [
    { profile: "shop", fromCommand: true },
    "…1234 from the key command of profile shop",
    "Check which key the key command prints: see `pets profile show shop`.",
  ],
])("the name of a key of %j, and what to do if it is rejected", (from, keyName, keyHint) => {
  expect(describeKey({ apiKey: "secret-key-1234", ...from })).toEqual({ keyName, keyHint });
});

const read = async (): Promise<ProfileData> => ({
  current: "shop",
  profiles: {
    shop: { baseUrl: "https://s/v1", limiter: "redis://own" },
    plain: { baseUrl: "https://p/v1" },
  },
});

describe("resolveWithProfile", () => {
  it.each<[string, Given, object]>([
    ["that of the current profile", {}, { limiter: { host: "own" } }],
    ["that of the environment", { PETS_LIMITER: "redis://env" }, { limiter: { host: "env" } }],
    ["none if the profile has none", profile("plain"), { limiter: undefined }],
    [
      "none if the profile is not read",
      { PETS_API_KEY: "k", ...baseUrl("https://x/v1") },
      { limiter: undefined },
    ],
  ])("has as limiter %s", async (_what, given, expected) => {
    expect(await resolveWithProfile(settingsFrom(given), read)).toMatchObject(expected);
  });
});
