import { describe, expect, it } from "vitest";
import { logout } from "../../src/commands/logout.ts";
import { profileTest, type ProfileTestOptions, threeProfiles } from "./profile-context.ts";

const { data, profiles } = threeProfiles;
const ghost = { profile: "ghost" };

describe("pets logout", () => {
  it.each<[string, ProfileTestOptions, string]>([
    ["the current profile", {}, "shop"],
    ["that of --profile", { globals: { profile: "local" } }, "local"],
    ["that of PETS_PROFILE", { env: { PETS_PROFILE: "local" } }, "local"],
  ])("removes the key of %s, and nothing else", async (_what, options, name) => {
    const test = profileTest({ ...options, profiles: data });
    await test.run(logout);
    const { current, profiles: kept } = await test.store.read();
    expect(current).toBe("shop");
    const keyless = Object.keys(kept).filter((each) => kept[each]?.apiKey === undefined);
    expect(keyless).toEqual([name, "bare"]);
    expect(kept[name]?.baseUrl).toBe(data.profiles[name]?.baseUrl);
    expect(test.stderr.text).toBe(`Removed the key from profile ${name}.\n`);
  });

  it("has nothing to do if there is no key", async () => {
    const test = profileTest({ globals: { profile: "bare" }, profiles: data });
    await test.run(logout);
    expect(test.stderr.text).toBe("Profile bare had no key.\n");
    expect(await test.store.read()).toEqual(data);
  });

  it.each<[string, ProfileTestOptions, RegExp]>([
    [
      "an unknown profile",
      { globals: ghost, profiles: data },
      /^unknown profile "ghost" in --profile$/,
    ],
    ["no current profile", { profiles: { profiles } }, /^no profile is current$/],
    ["no profiles", {}, /^there are no profiles$/],
  ])("refuses %s", async (_what, options, message) => {
    const test = profileTest(options);
    const failure = { exitCode: 2, message: expect.stringMatching(message) };
    await expect(test.run(logout)).rejects.toMatchObject(failure);
  });

  it("notes that a key in the environment is still used", async () => {
    const test = profileTest({ profiles: data, env: { PETS_API_KEY: "from-outside" } });
    await test.run(logout);
    expect(test.stderr.text).toContain("PETS_API_KEY is still set");
  });
});
