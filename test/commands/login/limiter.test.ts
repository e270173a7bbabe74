import { describe, expect, it } from "vitest";
import { givenLimiter, loginLimiter } from "../../../src/commands/login/limiter.ts";
import type { Context } from "../../../src/commands/context.ts";
import { settingsWith } from "../../config/support/settings.ts";

const url = "redis://pets@h:6379";

/** Returns what a login saves, and its warnings. */
async function given(...[flags, profile]: [object, object?]) {
  const warnings: string[] = [];
  const warn = async (text: string): Promise<void> => void warnings.push(text);
  const context: Pick<Context, "warn"> = { warn };
  return { saved: await givenLimiter(context, flags, profile), warnings };
}

/** Returns the server through which a key is checked that is saved with `saved`. */
const checkedThrough = (saved: object, settings = {}) =>
  loginLimiter({ settings: settingsWith(settings), env: {} }, "here", saved);

describe("givenLimiter", () => {
  const kept = { limiter: url, limiterRequired: true };

  it.each([
    ["nothing of nothing", {}, undefined, {}],
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
    expect(warnings).toEqual([expect.stringMatching(/^a password in --limiter(?!.*s3cret)/)]);
    expect((await given({}, { limiter: secret })).warnings).toEqual([]);
  });
});

describe("loginLimiter", () => {
  const required = { limiter: url, limiterRequired: true };

  it("checks the key through the saved server", () => {
    const server = { url: "redis://h:6379", username: "pets", required: false };
    expect(checkedThrough({ limiter: url })).toMatchObject(server);
  });

  it.each([[{}], [{ limiter: "off" }]])("checks it through none with %j", (saved) => {
    expect(checkedThrough(saved)).toBeNull();
  });

  it("leaves it to the server of the environment", () => {
    const limiter = { value: "redis://e", from: "PETS_LIMITER" };
    expect(checkedThrough({ limiter: url }, { limiter })).toBeUndefined();
  });

  it("requires the server if the login or the environment does", () => {
    expect(checkedThrough(required)).toMatchObject({ required: true });
    const byEnvironment = checkedThrough({ limiter: url }, { limiterRequired: true });
    expect(byEnvironment).toMatchObject({ required: true });
  });
});
