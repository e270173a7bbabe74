import { describe, expect, it } from "vitest";
import { resolveSettings } from "../../src/config/settings.ts";
import type { RawGlobals } from "../../src/config/types.ts";
import { Failure } from "../../src/core/errors.ts";
import type { Environment } from "../../src/platform/io.ts";
import { settingsWith } from "./support/settings.ts";

const { format: _format, formatAsked: _asked, ...defaults } = settingsWith();

const names = [
  "PETS_API_KEY",
  "PETS_BASE_URL",
  "PETS_PROFILE",
  "PETS_OUTPUT",
  "PETS_TIMEOUT",
  "PETS_MAX_WAIT",
];

describe("resolveSettings", () => {
  it("returns defaults, even if every variable is empty", () => {
    expect(resolveSettings({}, {})).toEqual(defaults);
    const empty = Object.fromEntries(names.map((name) => [name, ""]));
    expect(resolveSettings({}, empty)).toEqual(defaults);
  });

  it.each<[string, RawGlobals, Environment, object]>([
    [
      "profile",
      { profile: "a" },
      { PETS_PROFILE: "b" },
      { profile: { value: "a", from: "--profile" } },
    ],
    ["profile", {}, { PETS_PROFILE: "b" }, { profile: { value: "b", from: "PETS_PROFILE" } }],
    [
      "profile: 64 characters",
      { profile: "a".repeat(64) },
      {},
      { profile: { value: "a".repeat(64), from: "--profile" } },
    ],
    [
      "profile: a name that every object has",
      { profile: "constructor" },
      {},
      { profile: { value: "constructor", from: "--profile" } },
    ],
    [
      "baseUrl",
      { baseUrl: "https://a.example/v1" },
      { PETS_BASE_URL: "https://b.example/v1" },
      { baseUrl: { value: new URL("https://a.example/v1"), from: "--base-url" } },
    ],
    [
      "baseUrl",
      {},
      { PETS_BASE_URL: "https://b.example/v1" },
      { baseUrl: { value: new URL("https://b.example/v1"), from: "PETS_BASE_URL" } },
    ],
    ["apiKey", {}, { PETS_API_KEY: "key" }, { apiKey: "key" }],
    ["apiKey: trimmed", {}, { PETS_API_KEY: " \tkey\r\n" }, { apiKey: "key" }],
    ["apiKey: blank", {}, { PETS_API_KEY: " \n" }, { apiKey: undefined }],
    ["fields", { fields: "name, id" }, {}, { fields: ["name", "id"] }],
    ["timeout", { timeout: "5" }, { PETS_TIMEOUT: "nonsense" }, { timeoutMs: 5000 }],
    ["timeout", {}, { PETS_TIMEOUT: "250ms" }, { timeoutMs: 250 }],
    ["max-wait", { maxWait: "0" }, { PETS_MAX_WAIT: "1h" }, { maxWaitMs: 0 }],
    ["max-wait", {}, { PETS_MAX_WAIT: "1h" }, { maxWaitMs: 3_600_000 }],
    ["max-wait: 30 days", { maxWait: "720h" }, {}, { maxWaitMs: 2_592_000_000 }],
    [
      "switches",
      { quiet: true, verbose: true, color: false, allowHttp: true },
      {},
      { quiet: true, verbose: true, color: false, allowHttp: true },
    ],
    [
      "--allow-http",
      { allowHttp: true, baseUrl: "http://a.example/v1" },
      {},
      {
        allowHttp: true,
        baseUrl: { value: new URL("http://a.example/v1"), from: "--base-url" },
      },
    ],
  ])("%s: %j over %j", (_what, raw, env, expected) => {
    expect(resolveSettings(raw, env)).toEqual({ ...defaults, ...expected });
  });

  it.each<[RawGlobals, Environment, string]>([
    [{ profile: "" }, {}, "--profile must be"],
    [{ profile: "" }, { PETS_PROFILE: "b" }, "--profile must be"],
    [{ profile: "-a" }, {}, "--profile must be 1 to 64 letters"],
    [{ profile: "__proto__" }, {}, "--profile must be"],
    [{ profile: "a/b" }, {}, 'not "a/b"'],
    [{ profile: "a\n" }, {}, 'not "a\\n"'],
    [{ profile: "a".repeat(65) }, {}, "--profile must be"],
    [{}, { PETS_PROFILE: "a b" }, "PETS_PROFILE must be"],
    [{ baseUrl: "" }, { PETS_BASE_URL: "https://b.example" }, "--base-url must not be empty"],
    [{}, { PETS_BASE_URL: "http://b.example/v1" }, "PETS_BASE_URL must use https;"],
    [{ fields: "" }, {}, "--fields must be"],
    [{ fields: "id,,name" }, {}, "--fields must be"],
    [{ timeout: "" }, {}, "--timeout must be a number of seconds"],
    [{ timeout: "0" }, {}, "--timeout must be at least 1ms"],
    [{ timeout: "0.4ms" }, {}, "--timeout must be at least 1ms"],
    [{ timeout: "721h" }, {}, '--timeout must be at most 720h (30 days), not "721h"'],
    [{}, { PETS_MAX_WAIT: "2592000.1" }, "PETS_MAX_WAIT must be at most 720h (30 days)"],
    [{ maxWait: "9".repeat(400) }, {}, "--max-wait must be at most 720h"],
    [{ timeout: "-1" }, {}, 'not "-1"'],
    [{}, { PETS_TIMEOUT: "soon" }, "PETS_TIMEOUT must be a number of seconds"],
    [{ maxWait: "1e3" }, {}, "--max-wait must be a number of seconds"],
    [{}, { PETS_MAX_WAIT: "-5s" }, 'not "-5s"'],
  ])("rejects %j with %j: %s", (raw, env, part) => {
    expect(() => resolveSettings(raw, env)).toThrow(part);
    expect(() => resolveSettings(raw, env)).toThrow(
      expect.objectContaining({ exitCode: 2, code: "usage" }),
    );
  });

  it.each(["sec ret", "sec\nret", "sec\u0000ret", "secrét", "sec\u200bret", "sec\u007fret"])(
    "rejects the key %j and does not show it",
    (key) => {
      const shown: string[] = [];
      try {
        resolveSettings({}, { PETS_API_KEY: key });
      } catch (error) {
        if (error instanceof Failure) shown.push(error.message, ...error.hints);
      }
      expect(shown.join("\n")).toContain("PETS_API_KEY");
      expect(shown.join("\n")).not.toContain("sec");
    },
  );
});
