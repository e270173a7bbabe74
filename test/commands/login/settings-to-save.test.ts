import { describe, expect, it } from "vitest";
import { settingsToSave } from "../../../src/commands/login/settings-to-save.ts";
import { settingsOf } from "../../config/support/settings.ts";

const url = "redis://pets@h:6379";

/** Returns what a login saves, and its warnings. */
async function given(...[flags, profile]: [object, object?]) {
  const warnings: string[] = [];
  const warn = async (text: string): Promise<void> => void warnings.push(text);
  const settings = settingsOf({ ...flags }, { PETS_LIMITER: "redis://not-saved" });
  // Commander gives a command what the environment says, too.
  const options = { limiter: "redis://not-saved", ...flags };
  return { saved: await settingsToSave({ settings, warn }, options, profile), warnings };
}

describe("settingsToSave", () => {
  const kept = { limiter: url, limiterRequired: true };

  it.each([
    ["nothing of nothing", {}, undefined, {}],
    ["no base URL", { baseUrl: "https://s/v1" }, undefined, {}],
    ["no key of the profile", {}, { apiKey: "k", madeByServe: true }, {}],
    ["what the flag says", { limiter: url }, undefined, { limiter: url }],
    ["that it is required", { limiter: url, limiterRequired: true }, undefined, kept],
    ["what the profile had", {}, kept, kept],
    ["that it is now required", { limiterRequired: true }, { limiter: url }, kept],
    [
      "no requirement of another server",
      { limiter: url },
      { ...kept, limiter: "redis://x" },
      { limiter: url },
    ],
    ["nothing for off", { limiter: "off" }, kept, {}],
  ])("saves %s", async (_name, flags, profile, expected) => {
    expect(await given(flags, profile)).toEqual({ saved: expected, warnings: [] });
  });

  it.each([
    [{ limiter: "off", limiterRequired: true }, /cannot be used together/],
    [{ limiterRequired: true }, /needs --limiter/],
    [{ limiter: "http://s3cret@h" }, /^--limiter must be a URL(?!.*s3cret)/],
    [{ limiter: "" }, /^--limiter must be a URL/],
  ])("refuses %j", async (flags, message) => {
    await expect(given(flags)).rejects.toThrow(message);
    await expect(given(flags)).rejects.toMatchObject({ exitCode: 2 });
  });

  it("warns about a password in the flag, not about one in the profile, and shows neither", async () => {
    const secret = "redis://:s3cret@h";
    const { warnings } = await given({ limiter: secret });
    expect(warnings).toEqual([expect.stringMatching(/password in --limiter(?!.*s3cret)/)]);
    expect((await given({}, { limiter: secret })).warnings).toEqual([]);
  });
});
