import { describe, expect, it } from "vitest";
import { loginBaseUrl, loginKey } from "../../../src/commands/login/prompts.ts";
import { profileTest, type ProfileTestOptions } from "../profile-context.ts";

const url = "https://shop.example/v1";
const key = "pets-key-0123456789";
const existing = { baseUrl: "https://kept.example/v1" };

describe("loginBaseUrl", () => {
  it.each<[what: string, ProfileTestOptions, typeof existing | undefined, string]>([
    ["the setting", { globals: { baseUrl: url } }, existing, url],
    ["the profile without a terminal", {}, existing, existing.baseUrl],
    ["the profile with Enter", { answers: [""] }, existing, existing.baseUrl],
    ["another than the profile's", { answers: [url] }, existing, url],
    [
      "the first valid answer",
      { answers: ["", "shop", "http://shop.example", url] },
      undefined,
      url,
    ],
    ["the answer", { answers: [url] }, undefined, url],
  ])("takes %s", async (_what, options, profile, expected) => {
    const { context } = profileTest(options);
    expect((await loginBaseUrl(context, "shop", profile)).href).toBe(expected);
  });

  it.each<[what: string, ProfileTestOptions, RegExp]>([
    ["no terminal", {}, /^--base-url is missing/],
    ["standard error elsewhere", { answers: [url], stderrIsTTY: false }, /^--base-url is missing/],
  ])("refuses %s", async (_what, options, message) => {
    const { context } = profileTest(options);
    await expect(loginBaseUrl(context, "shop", undefined)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(message),
    });
  });
});

it("offers the base URL of the profile without a password, and says why an answer is invalid", async () => {
  const profile = { baseUrl: "https://user:secret@kept.example/v1" };
  const test = profileTest({ answers: ["", "ftp://x", url] });
  expect((await loginBaseUrl(test.context, "shop", profile)).href).toBe(url);
  expect(test.asked[0]).toBe("shown Base URL [https://…@kept.example/v1]: ");
  expect(test.asked).toHaveLength(3);
  expect(test.stderr.text).toMatch(/user name or a password\n.*\n.*not ftp:\/\//);
  expect(test.stderr.text).not.toContain("secret");
});

it("masks a key that is typed in place of the base URL", async () => {
  const typed = `pets_${"0a".repeat(16)}`;
  const test = profileTest({ answers: [typed, url] });
  await loginBaseUrl(test.context, "shop", undefined);
  expect(test.stderr.text).toMatch(/not "…0a0a"\n.*https:\/\/…0a0a/);
  expect(test.stderr.text).not.toContain(typed);
});

describe("loginKey", () => {
  it("asks again until it gets a key, with --quiet too", async () => {
    const test = profileTest({ answers: ["", `${key} ${key}`, key], globals: { quiet: true } });
    expect(await loginKey(test.context, "shop.example, profile shop")).toBe(key);
    expect(test.asked).toHaveLength(3);
    expect(test.stderr.text).toMatch(/is empty.*\n.*white space.*\n$/);
    expect(test.stderr.text).not.toContain(key);
  });

  it.each<[what: string, ProfileTestOptions, asked: string[]]>([
    ["standard input", { input: ` ${key}\r\n` }, []],
    [
      "a hidden prompt",
      { answers: [`${key} `] },
      ["hidden API key for shop.example, profile shop (not shown): "],
    ],
  ])("reads it from %s and trims it", async (_what, options, prompts) => {
    const { context, asked } = profileTest(options);
    expect(await loginKey(context, "shop.example, profile shop")).toBe(key);
    expect(asked).toEqual(prompts);
  });

  it.each<[what: string, ProfileTestOptions]>([
    ["nothing", { input: "\n" }],
    ["more than 16 KiB", { input: "x".repeat(16_385) }],
    ["white space inside", { input: `${key} ${key}` }],
    ["nothing to prompt on", { answers: [key], stderrIsTTY: false }],
  ])("refuses %s, without showing a key", async (_what, options) => {
    const { context } = profileTest(options);
    const failure: unknown = await loginKey(context, "shop.example, profile shop").catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ kind: "usage" });
    expect(String(failure)).not.toContain(key);
  });
});
