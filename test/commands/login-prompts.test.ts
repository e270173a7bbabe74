import { describe, expect, it } from "vitest";
import { loginBaseUrl, loginKey } from "../../src/commands/login-prompts.ts";
import { profileTest, type ProfileTestOptions } from "./profile-context.ts";

const url = "https://shop.example/v1";
const key = "pets-key-0123456789";
const existing = { name: "shop", profile: { baseUrl: "https://kept.example/v1" } };

describe("loginBaseUrl", () => {
  it.each<[what: string, ProfileTestOptions, typeof existing | undefined, string]>([
    ["the setting", { globals: { baseUrl: url } }, existing, url],
    ["the profile", { answers: [url] }, existing, existing.profile.baseUrl],
    ["the answer", { answers: [url] }, undefined, url],
  ])("takes %s", async (_what, options, profile, expected) => {
    const { context } = profileTest(options);
    expect((await loginBaseUrl(context, profile)).href).toBe(expected);
  });

  it.each<[what: string, ProfileTestOptions, RegExp]>([
    ["no terminal", {}, /^--base-url is missing/],
    ["standard error elsewhere", { answers: [url], stderrIsTTY: false }, /^--base-url is missing/],
    ["an answer that is no URL", { answers: ["shop"] }, /the base URL/],
    ["http: to another host", { answers: ["http://shop.example"] }, /http/],
  ])("refuses %s", async (_what, options, message) => {
    const { context } = profileTest(options);
    await expect(loginBaseUrl(context, undefined)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(message),
    });
  });
});

describe("loginKey", () => {
  it.each<[what: string, ProfileTestOptions, asked: string[]]>([
    ["standard input", { input: ` ${key}\r\n` }, []],
    ["a hidden prompt", { answers: [`${key} `] }, ["hidden API key (not shown): "]],
  ])("reads it from %s, without blanks around it", async (_what, options, prompts) => {
    const { context, asked } = profileTest(options);
    expect(await loginKey(context)).toBe(key);
    expect(asked).toEqual(prompts);
  });

  it.each<[what: string, ProfileTestOptions]>([
    ["nothing", { input: "\n" }],
    ["more than 16 KiB", { input: "x".repeat(16_385) }],
    ["white space inside", { input: `${key} ${key}` }],
    ["nothing to prompt on", { answers: [key], stderrIsTTY: false }],
  ])("refuses %s, without showing a key", async (_what, options) => {
    const { context } = profileTest(options);
    const failure: unknown = await loginKey(context).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "usage" });
    expect(String(failure)).not.toContain(key);
  });
});
