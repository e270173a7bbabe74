import { describe, expect, it } from "vitest";
import {
  limiterFromEnvironment,
  limiterRequired,
  parseLimiterUrl,
  showLimiterUrl,
  resolveLimiterServer,
} from "../../src/config/limiter-server.ts";
import type { ProfileData, ProfileStore } from "../../src/config/types.ts";
import { settingsWith } from "./support/settings.ts";

const from = "PETS_LIMITER";
const limiter = (value: string) => ({ limiter: { value, from } });

describe("parseLimiterUrl", () => {
  const plain = { url: "redis://h:6379", host: "h", port: 6379, tls: false, database: 0 };

  it.each([
    ["redis://h", plain],
    ["redis://h/", plain],
    ["redis://h:7000/3", { ...plain, url: "redis://h:7000", port: 7000, database: 3 }],
    ["rediss://h", { ...plain, url: "rediss://h:6379", tls: true }],
    ["redis://u:p%40w@h", { ...plain, username: "u", password: "p@w" }],
    ["redis://:p@h", { ...plain, password: "p" }],
    ["redis://[::1]:7", { ...plain, url: "redis://[::1]:7", host: "::1", port: 7 }],
    ["off", undefined],
  ])("reads %s", (text, expected) => {
    expect(parseLimiterUrl(text, from)).toEqual(expected);
  });

  it.each([
    "",
    "h:6379",
    "http://s3cret@h",
    "redis://",
    "redis://s3cret@h/x",
    "redis://s3cret@h:99999",
    "redis://s3cret@h:0",
    "redis://h?db=s3cret",
    "redis://u:%E0%A4%A@h",
  ])("refuses %j without showing it", (text) => {
    expect(() => parseLimiterUrl(text, from)).toThrow(/^PETS_LIMITER must be a URL(?!.*s3cret)/);
  });
});

describe("the environment's limiter", () => {
  it("counts as unset if it is empty", () => {
    expect(limiterFromEnvironment({ PETS_LIMITER: "" })).toBeUndefined();
    expect(limiterRequired({ PETS_LIMITER_REQUIRED: "" })).toBe(false);
  });

  it.each([
    ["1", true],
    ["0", false],
  ])("is required with %s: %s", (value, expected) => {
    expect(limiterRequired({ PETS_LIMITER_REQUIRED: value })).toBe(expected);
  });

  it("rejects other values", () => {
    expect(() => limiterRequired({ PETS_LIMITER_REQUIRED: "yes" })).toThrow(/"yes"/);
  });
});

describe("resolveLimiterServer", () => {
  const data: ProfileData = {
    current: "shop",
    profiles: {
      shop: { baseUrl: "https://s/v1", limiter: "redis://u@own", limiterRequired: true },
      plain: { baseUrl: "https://p/v1" },
    },
  };
  const open = async (): Promise<ProfileStore> => ({
    file: "/config.json",
    read: async () => data,
    update: () => Promise.reject(new Error("nothing may be written")),
  });
  const named = { profile: { value: "plain", from: "--profile" } };
  const outside = { apiKey: "k", baseUrl: { value: new URL("https://x/v1"), from: "--base-url" } };

  it.each([
    ["the profile's", {}, {}, { host: "own", required: true }],
    ["the environment's before it", limiter("redis://env"), {}, { host: "env", required: false }],
    ["with the password apart", {}, { PETS_LIMITER_PASSWORD: "pw" }, { password: "pw" }],
    [
      "required by the environment",
      { ...limiter("redis://env"), limiterRequired: true },
      {},
      { required: true },
    ],
  ])("is %s", async (_what, settings, env, expected) => {
    expect(await resolveLimiterServer(settingsWith(settings), env, open)).toMatchObject(expected);
  });

  it.each([
    ["if it is turned off", limiter("off")],
    ["if the profile has none", named],
    ["if the profile is not read", outside],
  ])("is none %s", async (_what, settings) => {
    expect(await resolveLimiterServer(settingsWith(settings), {}, open)).toBeUndefined();
  });
});

it.each([
  ["redis://h", "redis://h"],
  ["rediss://pets@h:7000/3", "rediss://pets@h:7000/3"],
  ["redis://pets:s3cret@h", "redis://pets:***@h"],
  ["redis://:s3cret@h/2", "redis://:***@h/2"],
  ["redis://h?password=s3cret", "an invalid URL"],
  ["s3cret", "an invalid URL"],
])("shows %s as %s", (text, shown) => {
  expect(showLimiterUrl(text)).toBe(shown);
});
