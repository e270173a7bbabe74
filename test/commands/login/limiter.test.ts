import { describe, expect, it } from "vitest";
import { givenLimiter, loginLimiter } from "../../../src/commands/login/limiter.ts";
import type { Context } from "../../../src/commands/context.ts";
import { settingsWith } from "../../config/support/settings.ts";

const url = "redis://pets@h:6379";

/** What a login saves, and the warnings that it gives. */
async function given(...[flags, profile]: [object, object?]) {
  const warnings: string[] = [];
  const warn = async (text: string): Promise<void> => void warnings.push(text);
  const context: Pick<Context, "warn"> = { warn };
  return { saved: await givenLimiter(context, flags, profile), warnings };
}

describe("givenLimiter", () => {
  const kept = { limiter: url, limiterRequired: true };

  it.each([
    ["nothing of nothing", {}, undefined, {}],
    ["what the flag says", { limiter: url }, undefined, { limiter: url }],
    ["that it is required", { limiter: url, limiterRequired: true }, undefined, kept],
    ["what the profile had", {}, kept, kept],
    ["that it is required by now", { limiterRequired: true }, { limiter: url }, kept],
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
    [{ limiter: "off", limiterRequired: true }, /can't be used together/],
    [{ limiterRequired: true }, /needs --limiter/],
    [{ limiter: "http://s3cret@h" }, /^--limiter must be a URL(?!.*s3cret)/],
    [{ limiter: "" }, /^--limiter must be a URL/],
  ])("refuses %j", async (flags, message) => {
    await expect(given(flags)).rejects.toThrow(message);
    await expect(given(flags)).rejects.toMatchObject({ exitCode: 2 });
  });

  it("warns of a password in the flag, not of one in the profile, and shows neither", async () => {
    const secret = "redis://:s3cret@h";
    const { warnings } = await given({ limiter: secret });
    expect(warnings).toEqual([expect.stringMatching(/^a password in --limiter(?!.*s3cret)/)]);
    expect((await given({}, { limiter: secret })).warnings).toEqual([]);
  });
});

describe("loginLimiter", () => {
  const env = {};
  const fromEnvironment = { value: "redis://e", from: "PETS_LIMITER" };

  it.each([
    [
      "the saved one",
      {},
      { limiter: url },
      { url: "redis://h:6379", username: "pets", required: false },
    ],
    ["none where none is saved", {}, {}, null],
    ["none where it is off", {}, { limiter: "off" }, null],
    [
      "the environment's, whatever is saved",
      { limiter: fromEnvironment },
      { limiter: url },
      undefined,
    ],
    ["one that is required", {}, { limiter: url, limiterRequired: true }, { required: true }],
    [
      "one that the environment requires",
      { limiterRequired: true },
      { limiter: url },
      { required: true },
    ],
  ])("checks the key through %s", (_name, settings, saved, expected) => {
    const found = loginLimiter({ settings: settingsWith(settings), env }, "here", saved);
    if (expected === null || expected === undefined) expect(found).toBe(expected);
    else expect(found).toMatchObject(expected);
  });
});
