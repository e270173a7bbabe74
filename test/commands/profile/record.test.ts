import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../../src/cli/program.ts";
import { openPrinter } from "../../../src/commands/print.ts";
import { printChanged, profileRecord, shownKey } from "../../../src/commands/profile/record.ts";
import type { Profile } from "../../../src/config/profiles/profiles.ts";
import { profileColumns } from "../../../src/output/columns.ts";
import { profileTest } from "../profile-context.ts";

const profile: Profile = { baseUrl: "https://shop.example/v1", apiKey: "pets_0123456789" };
const data = { current: "shop", profiles: { shop: profile, other: profile } };

it.each<[TypedOptions, string, string | boolean]>([
  [{}, "shop", "*"],
  [{}, "other", ""],
  [{ json: true }, "shop", true],
  [{ output: "csv" }, "other", false],
])("with %j the profile %s is current: %j", (globals, name, current) => {
  const { context } = profileTest({ globals });
  expect(profileRecord(context, data, { name, profile })).toEqual({
    name,
    baseUrl: "https://shop.example/v1",
    key: "…6789",
    current,
  });
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
    const printer = await openPrinter(context, profileColumns);
    await printChanged(context, printer, data, { name: "shop", profile });
    expect(stdout.text).toBe(text);
  });
});
