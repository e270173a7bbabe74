import { describe, expect, it } from "vitest";
import { serverOf, parseLimiterUrl, showLimiterUrl } from "../../src/config/limiter-server.ts";
import type { TypedOptions } from "../../src/config/settings.ts";
import type { Environment } from "../../src/platform/io.ts";
import { settingsOf } from "./support/settings.ts";

const from = "PETS_LIMITER";

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

describe("serverOf", () => {
  it.each<[string, TypedOptions, Environment, object]>([
    ["required if the settings say so", { limiterRequired: true }, {}, { required: true }],
    ["with the password of the URL", {}, {}, { required: false, password: "own" }],
    ["with the password apart", {}, { PETS_LIMITER_PASSWORD: "pw" }, { password: "pw" }],
  ])("is %s", (_what, typed, env, expected) => {
    const settings = settingsOf({ limiter: "redis://:own@h", ...typed }, env);
    expect(serverOf(settings, env)).toMatchObject({ host: "h", ...expected });
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
