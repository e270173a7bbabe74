import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { login } from "../../src/commands/login.ts";
import type { ProfileData } from "../../src/config/profiles/profiles.ts";
import { Failure } from "../../src/core/errors.ts";
import { profileTest, type ProfileTestOptions } from "./profile-context.ts";

const url = "https://shop.example/v1";
const key = "pets-key-0123456789";
const at = { baseUrl: url };
const shop = { current: "shop", profiles: { shop: { baseUrl: url, apiKey: "old-key-old-key" } } };
const served = { baseUrl: "http://127.0.0.1:4010/v1", apiKey: "served-key-12", madeByServe: true };
const local = { current: "local", profiles: { local: served } };
const commanded = { current: "a", profiles: { a: { baseUrl: url, keyCommand: "pass" } } };
const commandedElsewhere = {
  current: "a",
  profiles: { a: { baseUrl: "https://other.example", keyCommand: "pass" } },
};
const plain = { current: "a", profiles: { a: { baseUrl: "http://a.example" } } };
const env = { PETS_PROFILE: "valueOf", PETS_BASE_URL: url, PETS_API_KEY: "x" };
const named = (profile: string) => ({ ...at, profile });
const keyCommand = "op read key";
const refused = new Failure("auth", "the service refuses the key", { code: "unauthorized" });

describe("pets login", () => {
  it.each<[string, ProfileTestOptions, current: string, others?: ProfileData["profiles"]]>([
    ["makes the profile default", { globals: at, input: ` ${key}\r\n\n` }, "default"],
    ["takes a byte-order mark from the input", { globals: at, input: `\uFEFF${key}\n` }, "default"],
    ["renews the key of the current profile", { profiles: shop, input: key }, "shop"],
    ["leaves local alone", { profiles: local, globals: at, input: key }, "default", local.profiles],
    ["also if a URL is typed", { profiles: local, answers: [url, key] }, "default", local.profiles],
    [
      "saves in it if it is named",
      { profiles: local, globals: named("local"), input: key },
      "local",
    ],
    [
      "saves in a new one",
      { profiles: shop, globals: named("on"), input: key },
      "on",
      shop.profiles,
    ],
    ["takes no key from outside", { profiles: shop, env, input: key }, "valueOf", shop.profiles],
    ["keeps the base URL of the profile at Enter", { profiles: shop, answers: ["", key] }, "shop"],
    ["asks until a URL is valid", { answers: ["", "a", "http://a.example", url, key] }, "default"],
    ["puts a key in the place of a key command", { profiles: commanded, input: key }, "a"],
  ])("%s", async (_what, options, current, others = {}) => {
    const test = profileTest(options);
    await test.run(login);
    const profiles = { ...others, [current]: { baseUrl: url, apiKey: key } };
    expect(await test.store.read()).toEqual({ current, profiles });
    expect(test.sent.map((each) => [each.baseUrl.href, each.apiKey])).toEqual([[url, key]]);
    expect(test.stdout.text).toBe("");
    expect(test.stderr.text).toContain(`key …6789`);
    expect(test.stderr.text).not.toContain(key);
  });

  it("renews the key of the profile of pets serve", async () => {
    const baseUrl = "http://127.0.0.1:4010/v1/";
    const test = profileTest({ profiles: local, globals: { baseUrl }, input: key });
    await test.run(login);
    const profiles = { local: { baseUrl, apiKey: key } };
    expect(await test.store.read()).toEqual({ current: "local", profiles });
  });

  it("leaves the profile of pets serve as it is with its own URL and key", async () => {
    const made = { baseUrl: url, apiKey: key, madeByServe: true } as const;
    const profiles = { local: made };
    const test = profileTest({ profiles: { current: "local", profiles }, globals: at, input: key });
    await test.run(login);
    expect(await test.store.read()).toEqual({ current: "local", profiles });
  });

  const elsewhere = "https://other.example/v1";
  const taken = { baseUrl: elsewhere, apiKey: "key-of-others-12" };
  const others: ProfileData = { current: "a", profiles: { a: taken } };
  const both: ProfileData = { current: "a", profiles: { a: taken, b: { baseUrl: url } } };
  it.each<[string, ProfileTestOptions, offered: string]>([
    ["the current one", { profiles: others, globals: at, input: key }, "shop.example"],
    [
      "it with a key command",
      { profiles: commandedElsewhere, globals: at, input: key },
      "shop.example",
    ],
    [
      "default",
      { profiles: { profiles: { default: taken } }, globals: at, input: key },
      "shop.example",
    ],
    [
      "that of the environment",
      { profiles: others, env: { PETS_PROFILE: "a" }, globals: at, input: key },
      "shop.example",
    ],
    [
      "it by PETS_BASE_URL",
      { profiles: others, env: { PETS_BASE_URL: url }, input: key },
      "shop.example",
    ],
    ["it, and offers the one of that service", { profiles: both, globals: at, input: key }, "b"],
    [
      "it under CI",
      { profiles: others, env: { CI: "1" }, globals: at, answers: [key] },
      "shop.example",
    ],
  ])(
    "never replaces the key of another origin in a profile not typed: %s",
    async (_what, options, offered) => {
      const test = profileTest(options);
      const name = options.profiles?.current ?? "default";
      await expect(test.run(login)).rejects.toMatchObject({
        exitCode: 2,
        message: `profile ${name} has the key for https://other.example, and a key for https://shop.example does not replace it`,
        hints: [
          expect.stringContaining(`pets login --profile ${offered} --base-url ${url}`),
          expect.stringMatching(
            `the same: \`pets login --profile ${name} --base-url ${url}/?\`\\.$`,
          ),
        ],
      });
      expect(test.sent).toEqual([]);
      expect(await test.store.read()).toEqual(options.profiles);
    },
  );

  it.each<[string, answers: string[], saved: string]>([
    ["", ["", key], "shop.example"],
    ["another name", ["c", key], "c"],
    ["a wrong one first", ["a/b", "c", key], "c"],
    ["the same name", ["a", key], "a"],
  ])("asks on a terminal which profile gets it instead: %s", async (_what, answers, saved) => {
    const test = profileTest({ profiles: others, globals: at, answers });
    await test.run(login);
    const profiles = { ...others.profiles, [saved]: { baseUrl: url, apiKey: key } };
    expect(await test.store.read()).toEqual({ current: saved, profiles });
  });

  it("replaces the key of another origin in the profile that is typed, and where there is none", async () => {
    const test = profileTest({ profiles: others, globals: named("a"), input: key });
    await test.run(login);
    expect(await test.store.read()).toMatchObject({ profiles: { a: { apiKey: key } } });
    const keyless: ProfileData = { current: "a", profiles: { a: { baseUrl: elsewhere } } };
    const again = profileTest({ profiles: keyless, globals: at, input: key });
    await again.run(login);
    expect(await again.store.read()).toMatchObject({ profiles: { a: { apiKey: key } } });
  });

  it("hides the key while it is typed, and says with --quiet too what is wrong with it", async () => {
    const answers = [url, "", `${key} ${key}`, `${key} `];
    const test = profileTest({ globals: { quiet: true }, answers });
    await test.run(login);
    const keyPrompt = "hidden API key for shop.example, profile default (not shown): ";
    expect(test.asked).toEqual(["shown Base URL: ", keyPrompt, keyPrompt, keyPrompt]);
    expect(test.sent.map(({ apiKey }) => apiKey)).toEqual([key]);
    expect(test.stderr.text).toMatch(/^.*terminal is empty\n.*contains white space.*\n$/);
  });

  it("offers the base URL of the profile without its password, and says what is wrong", async () => {
    const typedKey = `pets_${"0a".repeat(16)}`;
    const a = { baseUrl: "https://user:secret@kept.example/v1" };
    const profiles = { current: "a", profiles: { a } };
    const test = profileTest({ profiles, answers: ["", "ftp://x", typedKey, url, key] });
    await test.run(login);
    expect(test.asked[0]).toBe("shown Base URL [https://…@kept.example/v1]: ");
    expect(test.stderr.text).toMatch(
      /user name or a password\n.*\n.*not ftp:\/\/\n.*not "…0a0a"\n/,
    );
    expect(test.stderr.text).not.toMatch(/secret|pets_/);
  });

  it.each<[string, ProfileTestOptions, RegExp]>([
    ["no key", { globals: at, input: "\n" }, /standard input is empty/],
    ["two lines", { globals: at, input: "a\nb\n" }, /white space/],
    ["no UTF-8", { globals: at, input: Uint8Array.of(97, 0xff) }, /non-ASCII/],
    ["more than a key", { globals: at, input: "k".repeat(20_000) }, /longer than/],
    ["no base URL", { input: key }, /--base-url is missing/],
    ["no terminal to ask it on", { answers: [url], stderrIsTTY: false }, /--base-url is missing/],
    ["no terminal to ask on", { globals: at, answers: [], stderrIsTTY: false }, /no API key/],
    [
      "to prompt for a URL while CI is set",
      { env: { CI: "true" }, answers: [url] },
      /while CI is set/,
    ],
    [
      "to prompt for a key while CI is set",
      { env: { CI: "1" }, globals: at, answers: [key] },
      /CI is set/,
    ],
    ["an empty key command", { globals: at }, /--key-command/],
    ["an unknown field", { globals: { ...at, fields: "id" }, input: key }, /--fields/],
    ["http:", { profiles: plain, input: key }, /base URL of profile a must use https;/],
  ])("rejects %s without a request to the service", async (_what, options, message) => {
    const test = profileTest(options);
    const args = message.source === "--key-command" ? ["--key-command", " "] : [];
    const failure = { exitCode: 2, message: expect.stringMatching(message) };
    await expect(test.run(login, ...args)).rejects.toMatchObject(failure);
    expect(test.sent).toEqual([]);
    expect(await test.store.read()).toEqual(options.profiles ?? { profiles: {} });
  });

  it("asks for the key up to three times if the service refuses it", async () => {
    let refusals = 0;
    const list = () => ((refusals += 1) < 3 ? Promise.reject(refused) : Promise.resolve([]));
    const test = profileTest({ answers: [url, "bad-1", "bad-2", key], list });
    await test.run(login);
    expect(test.sent.map(({ apiKey }) => apiKey)).toEqual(["bad-1", "bad-2", key]);
    expect(test.stderr.text).toMatch(/^the service refuses the key\nthe service refuses the key\n/);
    expect((await test.store.read()).profiles.default?.apiKey).toBe(key);
  });

  it.each<[string, ProfileTestOptions, number]>([
    ["after the third", { answers: [url, "bad-1", "bad-2", "bad-3", key] }, 3],
    ["at once without a terminal", { globals: at, input: key }, 1],
  ])("gives up %s, and saves nothing", async (_when, options, sent) => {
    const test = profileTest({ ...options, list: () => Promise.reject(refused) });
    await expect(test.run(login)).rejects.toBe(refused);
    expect(test.sent).toHaveLength(sent);
    expect(existsSync(test.store.folder)).toBe(false);
  });

  it("does not ask again if the service can't be reached", async () => {
    const away = new Failure("unreachable", "no");
    const test = profileTest({ answers: [url, key, key], list: () => Promise.reject(away) });
    await expect(test.run(login)).rejects.toBe(away);
    expect(test.sent).toHaveLength(1);
  });

  it("saves a key command instead of the key", async () => {
    const test = profileTest({ profiles: shop, printed: key });
    await test.run(login, "--key-command", keyCommand);
    expect(test.sent.map(({ apiKey }) => apiKey)).toEqual([key]);
    const profiles = { shop: { baseUrl: url, keyCommand } };
    expect(await test.store.read()).toEqual({ current: "shop", profiles });
    expect(test.stderr.text).toContain('key command "op read key"');
    expect(test.asked).toEqual([]);
  });

  it("does not run a key command with --no-verify", async () => {
    const test = profileTest({ globals: at });
    await test.run(login, "--no-verify", "--key-command", keyCommand);
    expect([test.ran, test.sent]).toEqual([[], []]);
    expect((await test.store.read()).profiles.default).toEqual({ baseUrl: url, keyCommand });
  });

  it("saves an unchecked key with --no-verify", async () => {
    const test = profileTest({ globals: at, input: key });
    await test.run(login, "--no-verify");
    expect(test.sent).toEqual([]);
    expect((await test.store.read()).profiles.default?.apiKey).toBe(key);
    expect(test.stderr.text).toMatch(/^Saved without checking the key: profile default/);
  });

  const limiter = "redis://pets@h:6379";
  const kept = { limiter, limiterRequired: true };
  const secret = { limiter: "redis://:s3cret@h" };

  it.each<[what: string, flags: readonly string[], profile: object | undefined, saved: object]>([
    ["nothing of the environment", [], undefined, {}],
    ["nothing else of the profile", [], { madeByServe: true }, {}],
    ["what the flag says", ["--limiter", limiter], undefined, { limiter }],
    ["that it is required", ["--limiter", limiter, "--limiter-required"], undefined, kept],
    ["what the profile had", [], kept, kept],
    ["that it is now required", ["--limiter-required"], { limiter }, kept],
    ["that another server is not", ["--limiter", limiter], { ...kept, limiter: "x" }, { limiter }],
    ["nothing for off", ["--limiter", "off"], kept, {}],
    ["a password of the profile", [], secret, secret],
  ])("saves of the limiter %s, without a warning", async (_what, flags, earlier, saved) => {
    const profiles = { profiles: { a: { baseUrl: url, ...earlier } } };
    const globals = named("a");
    const test = profileTest({ globals, env: { PETS_LIMITER: "redis://x" }, input: key, profiles });
    await test.run(login, ...flags);
    expect((await test.store.read()).profiles.a).toEqual({ baseUrl: url, apiKey: key, ...saved });
    expect(test.stderr.text).toMatch(/^Logged in.*\n$/);
  });

  it.each([
    [["--limiter", "off", "--limiter-required"], /cannot be used together/],
    [["--limiter-required"], /needs --limiter/],
    [["--limiter", "http://s3cret@h"], /^--limiter must be a URL(?!.*s3cret)/],
    [["--limiter", ""], /^--limiter must be a URL/],
  ])("refuses %j", async (flags, message) => {
    const test = profileTest({ globals: at, input: key });
    const refusal = { exitCode: 2, message: expect.stringMatching(message) };
    await expect(test.run(login, ...flags)).rejects.toMatchObject(refusal);
  });

  it("warns about a password in --limiter, and does not show it", async () => {
    const test = profileTest({ globals: at, input: key });
    await test.run(login, "--limiter", "redis://:s3cret@h");
    expect(test.stderr.text).toMatch(
      /^warning: the process list .* a password in --limiter(?!.*s3cret)/,
    );
  });

  it.each<[ProfileTestOptions["globals"], string]>([
    [{ json: true }, `{"name":"default","baseUrl":"${url}","key":"…6789","current":true}\n`],
    [{ output: "csv", fields: "current,key" }, "current,key\r\ntrue,…6789\r\n"],
    [{ output: "table" }, ""],
  ])("prints with %j", async (globals, text) => {
    const test = profileTest({ globals: { ...globals, baseUrl: url }, input: key });
    await test.run(login);
    expect(test.stdout.text).toBe(text);
  });

  const fromOutside = { PETS_BASE_URL: "https://env.example/v1" };

  it.each<[what: string, profile: string | undefined, saved: string]>([
    ["the variable for a new profile", "new", "https://env.example/v1"],
    ["the variable for the current one", undefined, "https://env.example/v1"],
    ["that of a profile that is named", "a", url],
  ])("takes as the base URL %s", async (_what, profile, saved) => {
    const profiles = { current: "a", profiles: { a: { baseUrl: url } } };
    const globals = profile === undefined ? {} : { profile };
    const test = profileTest({ globals, env: fromOutside, input: key, profiles });
    await test.run(login);
    expect((await test.store.read()).profiles[profile ?? "a"]?.baseUrl).toBe(saved);
  });

  it("notes that a key in the environment is used first", async () => {
    const test = profileTest({ globals: at, env: { PETS_API_KEY: "from-outside" }, input: key });
    await test.run(login);
    expect(test.stderr.text).toContain("PETS_API_KEY is set");
    expect(test.stderr.text).not.toContain("from-outside");
  });
});
