import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { profile } from "../../../src/commands/profile/command.ts";
import { profileTest, type ProfileTestOptions, threeProfiles } from "../profile-context.ts";

const { data, profiles } = threeProfiles;

describe("pets profile", () => {
  it.each([[[]], [["list"]]])("lists with %j", async (args) => {
    const test = profileTest({ profiles: data });
    await test.run(profile, ...args);
    expect(test.stdout.text.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["NAME", "BASE URL", "KEY", "CURRENT"],
      ["bare", "https://…@bare.example/v1"],
      ["local", "http://127.0.0.1:4010/v1", "…"],
      ["shop", "https://shop.example/v1", "…6789", "*"],
      [""],
    ]);
  });

  it("lists key and current profile for scripts", async () => {
    const test = profileTest({ profiles: data, globals: { json: true, fields: "key,current" } });
    await test.run(profile);
    expect(test.stdout.text).toBe(
      '[{"current":false},{"key":"…","current":false},{"key":"…6789","current":true}]\n',
    );
  });

  it.each([
    [{}, "", /pets login/],
    [{ json: true }, "[]\n", /^$/],
  ])("lists nothing with %j, and creates nothing", async (globals, text, note) => {
    const test = profileTest({ globals });
    await test.run(profile);
    expect(test.stdout.text).toBe(text);
    expect(test.stderr.text).toMatch(note);
    expect(existsSync(test.store.folder)).toBe(false);
  });

  it.each<[string, string[], ProfileTestOptions, string]>([
    ["the current one", ["show"], {}, "shop"],
    ["a named one", ["show", "local"], {}, "local"],
    ["the one of --profile", ["show"], { globals: { profile: "bare" } }, "bare"],
    ["the one of PETS_PROFILE", ["show"], { env: { PETS_PROFILE: "bare" } }, "bare"],
  ])("shows %s", async (_what, args, options, name) => {
    const globals = { json: true, fields: "name", ...options.globals };
    const test = profileTest({ ...options, globals, profiles: data });
    await test.run(profile, ...args);
    expect(test.stdout.text).toBe(`{"name":"${name}"}\n`);
  });

  it("shows a key command without a key that is in it", async () => {
    const apiKey = "pets_0123456789abcdefghijklmnopqrstuv";
    const shop = { baseUrl: profiles.shop.baseUrl, keyCommand: `echo ${apiKey}` };
    const test = profileTest({ profiles: { profiles: { shop } } });
    await test.run(profile, "show", "shop");
    expect(test.stdout.text).toContain("$(echo …stuv)");
  });

  it("shows the limiter of a profile, without its password", async () => {
    const limiter = "redis://pets:s3cret@redis.example";
    const shop = { ...profiles.shop, limiter, limiterRequired: true };
    const shared = { current: "shop", profiles: { ...profiles, shop } };
    const json = profileTest({ profiles: shared, globals: { json: true } });
    await json.run(profile, "show");
    expect(json.stdout.text).toContain(
      '"limiter":"redis://pets:***@redis.example","limiterRequired":true}',
    );
    const table = profileTest({ profiles: shared });
    await table.run(profile, "show");
    expect(table.stdout.text).toMatch(
      /LIMITER +REQUIRED\n.*redis:\/\/pets:\*{3}@redis.example +true/,
    );
    await table.run(profile, "show", "local");
    expect(table.stdout.text.match(/LIMITER/g)).toHaveLength(1);
  });

  it("never shows a key or a password", async () => {
    for (const output of ["table", "json", "ndjson", "csv", "tsv"]) {
      const test = profileTest({ profiles: data, globals: { output } });
      for (const args of [["list"], ["show", "bare"], ["show", "shop"], ["use", "bare"]])
        await test.run(profile, ...args);
      expect(test.stdout.text + test.stderr.text).not.toMatch(/hidden|pets-key|short/);
    }
  });

  it("sets the current profile", async () => {
    const test = profileTest({ profiles: data, env: { PETS_PROFILE: "shop" } });
    await test.run(profile, "use", "local");
    expect(await test.store.read()).toEqual({ current: "local", profiles });
    expect(test.stdout.text).toBe("");
    expect(test.stderr.text).toContain("PETS_PROFILE is set to shop");
  });

  it.each([
    ["shop", undefined],
    ["local", "shop"],
  ])("removes %s, after which %s is current", async (name, current) => {
    const test = profileTest({ profiles: data });
    await test.run(profile, "remove", name);
    const kept = await test.store.read();
    expect([kept.current, Object.keys(kept.profiles)]).toEqual([
      current,
      Object.keys(profiles).filter((other) => other !== name),
    ]);
  });

  it("prints in a data format what was removed", async () => {
    const test = profileTest({ profiles: data, globals: { json: true } });
    await test.run(profile, "remove", "shop");
    expect(JSON.parse(test.stdout.text)).toMatchObject({
      name: "shop",
      key: "…6789",
      current: true,
    });
  });

  it.each([
    ["show", {}, /^NAME .* MADE BY SERVE\nshop .* memory\n$/],
    ["show", { json: true }, /"madeByServe":"memory"/],
    ["list", {}, /^NAME +BASE URL +KEY +CURRENT\n/],
  ])("%s with %j tells whether serve made it", async (command, globals, text) => {
    const shop = { ...profiles.shop, madeByServe: "memory" as const };
    const test = profileTest({ globals, profiles: { current: "shop", profiles: { shop } } });
    await test.run(profile, command);
    expect(test.stdout.text).toMatch(text);
  });

  it.each([
    [["use", "toString"], /unknown profile "toString"/],
    [["use", "__proto__"], /the profile name must be/],
    [["show", "ghost"], /unknown profile "ghost"/],
    [["show", ""], /the profile name must be/],
    [["remove", "ghost"], /unknown profile "ghost"/],
    [["remove", "a/b"], /the profile name must be/],
  ])("refuses %j", async (args, message) => {
    const test = profileTest({ profiles: data });
    const failure = { exitCode: 2, message: expect.stringMatching(message) };
    await expect(test.run(profile, ...args)).rejects.toMatchObject(failure);
    expect(await test.store.read()).toEqual(data);
  });

  it("says what to do next after the last profile is removed", async () => {
    const test = profileTest({ profiles: { current: "shop", profiles: { shop: profiles.shop } } });
    await test.run(profile, "remove", "shop");
    const hint = "Create one with `pets login`.";
    expect(test.stderr.text).toBe(`Removed profile shop.\nNo profiles are left. ${hint}\n`);
    const failure = { message: "there are no profiles", hints: [hint] };
    await expect(test.run(profile, "show")).rejects.toMatchObject(failure);
  });
});
