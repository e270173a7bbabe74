import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { login } from "../../../src/commands/login/command.ts";
import type { ProfileData } from "../../../src/config/profiles/profiles.ts";
import { Failure } from "../../../src/core/errors.ts";
import { profileTest, type ProfileTestOptions } from "../profile-context.ts";

const url = "https://shop.example/v1";
const key = "pets-key-0123456789";
const shop = { current: "shop", profiles: { shop: { baseUrl: url, apiKey: "old-key-old-key" } } };
const local = {
  current: "local",
  profiles: {
    local: { baseUrl: "http://127.0.0.1:4010/v1", apiKey: "served-key-12", madeByServe: true },
  },
};
const refused = new Failure("auth", "the service refuses the key", { code: "unauthorized" });

describe("pets login", () => {
  it.each<[string, ProfileTestOptions, ProfileData]>([
    [
      "makes the profile default",
      { globals: { baseUrl: url }, input: key },
      { current: "default", profiles: { default: { baseUrl: url, apiKey: key } } },
    ],
    [
      "takes no white space from around the key",
      { env: { PETS_BASE_URL: url }, input: ` ${key}\r\n\n` },
      { current: "default", profiles: { default: { baseUrl: url, apiKey: key } } },
    ],
    [
      "takes a byte-order mark from the input",
      { globals: { baseUrl: url }, input: `\uFEFF${key}\n` },
      { current: "default", profiles: { default: { baseUrl: url, apiKey: key } } },
    ],
    [
      "renews the key of the current profile, at its base URL",
      { profiles: shop, input: `${key}\n` },
      { current: "shop", profiles: { shop: { baseUrl: url, apiKey: key } } },
    ],
    [
      "leaves the profile of pets serve alone, for a service elsewhere",
      { profiles: local, globals: { baseUrl: url }, input: key },
      {
        current: "default",
        profiles: { ...local.profiles, default: { baseUrl: url, apiKey: key } },
      },
    ],
    [
      "renews the key of the profile of pets serve",
      { profiles: local, globals: { baseUrl: "http://127.0.0.1:4010/v1/" }, input: key },
      {
        current: "local",
        profiles: { local: { baseUrl: "http://127.0.0.1:4010/v1/", apiKey: key } },
      },
    ],
    [
      "saves a remote service in local if that is named",
      { profiles: local, globals: { baseUrl: url, profile: "local" }, input: key },
      { current: "local", profiles: { local: { baseUrl: url, apiKey: key } } },
    ],
    [
      "makes a named profile current",
      {
        profiles: shop,
        globals: { profile: "constructor", baseUrl: "http://127.0.0.1:4010/v1" },
        input: key,
      },
      {
        current: "constructor",
        profiles: {
          ...shop.profiles,
          constructor: { baseUrl: "http://127.0.0.1:4010/v1", apiKey: key },
        },
      },
    ],
    [
      "takes the profile from the environment",
      { profiles: shop, env: { PETS_PROFILE: "b", PETS_BASE_URL: url }, input: key },
      { current: "b", profiles: { ...shop.profiles, b: { baseUrl: url, apiKey: key } } },
    ],
    [
      "never takes the key from the environment",
      { env: { PETS_API_KEY: "from-outside", PETS_BASE_URL: url }, input: key },
      { current: "default", profiles: { default: { baseUrl: url, apiKey: key } } },
    ],
    [
      "asks on a terminal",
      { answers: ["https://asked.example/v1 ", `${key} `] },
      {
        current: "default",
        profiles: { default: { baseUrl: "https://asked.example/v1", apiKey: key } },
      },
    ],
    [
      "asks for the base URL that the profile has, which Enter keeps",
      { profiles: shop, answers: ["", key] },
      { current: "shop", profiles: { shop: { baseUrl: url, apiKey: key } } },
    ],
    [
      "leaves the profile of pets serve alone when a service elsewhere is typed",
      { profiles: local, answers: [url, key] },
      {
        current: "default",
        profiles: { ...local.profiles, default: { baseUrl: url, apiKey: key } },
      },
    ],
    [
      "puts a key in the place of a key command",
      {
        profiles: {
          current: "a",
          profiles: { a: { baseUrl: url, keyCommand: "pass" } },
        },
        input: key,
      },
      { current: "a", profiles: { a: { baseUrl: url, apiKey: key } } },
    ],
    [
      "asks only for the key if the base URL is known",
      { answers: [key], globals: { baseUrl: url } },
      { current: "default", profiles: { default: { baseUrl: url, apiKey: key } } },
    ],
  ])("%s", async (_what, options, kept) => {
    const test = profileTest(options);
    await test.run(login);
    expect(await test.store.read()).toEqual(kept);
    const { baseUrl } = kept.profiles[kept.current ?? ""] ?? {};
    expect(test.sent.map((each) => [each.baseUrl.href, each.apiKey])).toEqual([[baseUrl, key]]);
    expect(test.stdout.text).toBe("");
    expect(test.stderr.text).toContain(`key …6789`);
    expect(test.stderr.text).not.toContain(key);
  });

  it("hides the key, but not the base URL, while they are typed", async () => {
    const test = profileTest({ answers: [url, key] });
    await test.run(login);
    expect(test.asked).toEqual([
      "shown Base URL: ",
      "hidden API key for shop.example, profile default (not shown): ",
    ]);
  });

  it.each<[string, ProfileTestOptions, object, RegExp]>([
    [
      "no key",
      { globals: { baseUrl: url }, input: "" },
      { exitCode: 2 },
      /standard input is empty/,
    ],
    ["an empty line", { globals: { baseUrl: url }, input: "\n" }, { exitCode: 2 }, /is empty/],
    ["two lines", { globals: { baseUrl: url }, input: "a\nb\n" }, { exitCode: 2 }, /white space/],
    ["a tab", { globals: { baseUrl: url }, input: "a\tb" }, { exitCode: 2 }, /white space/],
    ["a NUL", { globals: { baseUrl: url }, input: "a\0b" }, { exitCode: 2 }, /non-ASCII/],
    [
      "no UTF-8",
      { globals: { baseUrl: url }, input: Uint8Array.of(97, 0xff) },
      { exitCode: 2 },
      /non-ASCII/,
    ],
    [
      "more than a key",
      { globals: { baseUrl: url }, input: "k".repeat(20_000) },
      { exitCode: 2 },
      /longer than/,
    ],
    ["no base URL", { input: key }, { exitCode: 2 }, /--base-url is missing/],
    [
      "no terminal to ask on",
      { globals: { baseUrl: url }, answers: [], stderrIsTTY: false },
      { exitCode: 2 },
      /no API key/,
    ],
    ["an empty key command", { globals: { baseUrl: url } }, { exitCode: 2 }, /--key-command/],
    [
      "an unknown field",
      { globals: { baseUrl: url, fields: "id" }, input: key },
      { exitCode: 2 },
      /--fields/,
    ],
    [
      "a profile whose base URL needs --allow-http",
      { profiles: { current: "a", profiles: { a: { baseUrl: "http://a.example" } } }, input: key },
      { exitCode: 2 },
      /base URL of profile a must use https;/,
    ],
  ])("rejects %s without a request to the service", async (_what, options, facts, message) => {
    const test = profileTest(options);
    const args = message.source === "--key-command" ? ["--key-command", " "] : [];
    await expect(test.run(login, ...args)).rejects.toMatchObject({
      ...facts,
      message: expect.stringMatching(message),
    });
    expect(test.sent).toEqual([]);
    expect(await test.store.read()).toEqual(options.profiles ?? { profiles: {} });
    expect(test.stdout.text).toBe("");
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

  it("gives up after the third, and saves nothing", async () => {
    const list = () => Promise.reject(refused);
    const test = profileTest({ answers: [url, "bad-1", "bad-2", "bad-3", key], list });
    await expect(test.run(login)).rejects.toBe(refused);
    expect(test.sent).toHaveLength(3);
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
    await test.run(login, "--key-command", "op read key");
    expect(test.sent.map(({ apiKey }) => apiKey)).toEqual([key]);
    const keyCommand = "op read key";
    expect(await test.store.read()).toEqual({
      current: "shop",
      profiles: { shop: { baseUrl: url, keyCommand } },
    });
    expect(test.stderr.text).toContain('key command "op read key"');
    expect(test.asked).toEqual([]);
  });

  it("does not run a key command with --no-verify", async () => {
    const test = profileTest({ globals: { baseUrl: url } });
    await test.run(login, "--no-verify", "--key-command", "op read key");
    expect([test.ran, test.sent]).toEqual([[], []]);
    expect((await test.store.read()).profiles.default).toEqual({
      baseUrl: url,
      keyCommand: "op read key",
    });
  });

  it("saves nothing if the service refuses the key", async () => {
    const list = () => Promise.reject(refused);
    const test = profileTest({ globals: { baseUrl: url }, input: key, list });
    await expect(test.run(login)).rejects.toBe(refused);
    expect(existsSync(test.store.folder)).toBe(false);
  });

  it("saves an unchecked key with --no-verify", async () => {
    const test = profileTest({ globals: { baseUrl: url }, input: key });
    await test.run(login, "--no-verify");
    expect(test.sent).toEqual([]);
    expect((await test.store.read()).profiles.default?.apiKey).toBe(key);
    expect(test.stderr.text).toMatch(/^Saved without checking the key: profile default/);
  });

  it("detects a damaged profile file before any request", async () => {
    const test = profileTest({ globals: { baseUrl: url }, input: key });
    mkdirSync(test.store.folder, { recursive: true });
    writeFileSync(test.store.file, "[]", { mode: 0o600 });
    await expect(test.run(login)).rejects.toMatchObject({ exitCode: 1 });
    expect(test.sent).toEqual([]);
    expect(readFileSync(test.store.file, "utf8")).toBe("[]");
  });

  it.each<[ProfileTestOptions["globals"], string]>([
    [
      { json: true },
      '{"name":"default","baseUrl":"https://shop.example/v1","key":"…6789","current":true}\n',
    ],
    [{ output: "csv", fields: "current,key" }, "current,key\r\ntrue,…6789\r\n"],
    [{ output: "table" }, ""],
  ])("prints with %j", async (globals, text) => {
    const test = profileTest({ globals: { ...globals, baseUrl: url }, input: key });
    await test.run(login);
    expect(test.stdout.text).toBe(text);
  });

  it("notes that a key in the environment is used first", async () => {
    const env = { PETS_API_KEY: "from-outside" };
    const test = profileTest({ globals: { baseUrl: url }, env, input: key });
    await test.run(login);
    expect(test.stderr.text).toContain("PETS_API_KEY is set");
    expect(test.stderr.text).not.toContain("from-outside");
  });
});
