import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../../src/cli/program.ts";
import { printChanged, printProfiles, shownKey } from "../../../src/commands/profile/record.ts";
import type { Profile } from "../../../src/config/profiles/profiles.ts";
import { profileTest } from "../profile-context.ts";

const profile: Profile = { baseUrl: "https://shop.example/v1", apiKey: "pets_0123456789" };
const shared: Profile = { ...profile, limiter: "redis://redis.example" };
const data = { current: "shop", profiles: { shop: profile, other: profile, shared } };

it.each<[TypedOptions, string, Profile, string]>([
  [
    {},
    "shop",
    profile,
    "NAME  BASE URL                 KEY    CURRENT\nshop  https://shop.example/v1  …6789  *\n",
  ],
  [
    { fields: "name,limiter,limiterRequired" },
    "other",
    profile,
    "NAME   LIMITER  REQUIRED\nother\n",
  ],
  [
    { json: true },
    "shop",
    profile,
    '{"name":"shop","baseUrl":"https://shop.example/v1","key":"…6789","current":true}\n',
  ],
  [
    { output: "csv" },
    "shared",
    shared,
    "name,baseUrl,key,current,limiter,limiterRequired\r\nshared,https://shop.example/v1,…6789,false,redis://redis.example,false\r\n",
  ],
])("with %j the profile %s of %j is %j", async (globals, name, shown, text) => {
  const { context, stdout } = profileTest({ globals });
  await printProfiles(context, data, { name, profile: shown });
  expect(stdout.text).toBe(text);
});

it.each<[Partial<Profile>, string | undefined]>([
  [{ apiKey: "short" }, "…"],
  [{ keyCommand: "pass show shop" }, "$(pass show shop)"],
  [{}, undefined],
])("the key of %j is shown as %s", (keys, shown) => {
  expect(shownKey({ baseUrl: profile.baseUrl, ...keys })).toBe(shown);
});

describe("printChanged", () => {
  it.each<[TypedOptions, string]>([
    [{}, ""],
    [{ output: "ndjson", fields: "name,current" }, '{"name":"shop","current":true}\n'],
  ])("with %j prints %j", async (globals, text) => {
    const { context, stdout } = profileTest({ globals });
    await printChanged(context, data, { name: "shop", profile });
    expect(stdout.text).toBe(text);
  });
});
