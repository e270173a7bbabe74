import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../src/config/settings.ts";
import { type Settings, settingsWithProfile } from "../../src/config/settings.ts";
import type { Environment } from "../../src/platform/io.ts";
import { failureOf } from "../support/command/failure.ts";
import { settingsOf } from "./support/settings.ts";

const defaults = settingsOf();
const [a, b] = ["https://a.example/v1", "https://b.example/v1"];
/** Returns what `values` are without the record of where they come from. */
const valuesOf = ({ given: _given, sources: _sources, ...values }: Settings) => values;

describe("a setting", () => {
  const src = path.resolve(import.meta.dirname, "../../src");
  const code = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== path.join("config", "settings.ts"))
    .map((name) => readFileSync(path.join(src, name), "utf8"))
    .join("");

  // `json` is read as the format.
  it.each(Object.keys(defaults).filter((name) => name !== "json"))("%s is read", (name) => {
    const reads = `settings\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\}[ :=a-z.]*[sS]ettings\\b`;
    expect(new RegExp(reads).test(code)).toBe(true);
  });
});

describe("resolveSettings", () => {
  it("returns defaults, even if every variable is empty", () => {
    const names = "API_KEY BASE_URL PROFILE OUTPUT TIMEOUT MAX_WAIT LIMITER LIMITER_REQUIRED";
    const empty = Object.fromEntries(names.split(" ").map((name) => [`PETS_${name}`, ""]));
    expect(valuesOf(settingsOf({}, empty))).toEqual(valuesOf(defaults));
  });

  const profile64 = { profile: "a".repeat(64) };
  const on = { quiet: true, verbose: true, allowHttp: true };

  it.each<[TypedOptions, Environment, values: object, from?: object]>([
    [{ profile: "a" }, { PETS_PROFILE: "b" }, { profile: "a" }, { profile: "--profile" }],
    [{}, { PETS_PROFILE: "b" }, { profile: "b" }, { profile: "PETS_PROFILE" }],
    // --no-profile
    [{ profile: false }, { PETS_PROFILE: "b" }, { profile: "b" }],
    [profile64, {}, profile64],
    [{ profile: "constructor" }, {}, { profile: "constructor" }],
    [{ baseUrl: a }, { PETS_BASE_URL: b }, { baseUrl: new URL(a) }, { baseUrl: "--base-url" }],
    [{}, { PETS_BASE_URL: b }, { baseUrl: new URL(b) }, { baseUrl: "PETS_BASE_URL" }],
    [{}, { PETS_API_KEY: " \tkey\r\n" }, { apiKey: "key" }],
    [{}, { PETS_API_KEY: " \n" }, { apiKey: undefined }],
    [{ fields: "name, id" }, {}, { fields: ["name", "id"] }],
    [{ timeout: "5" }, { PETS_TIMEOUT: "nonsense" }, { timeoutMs: 5000 }],
    [{ maxWait: "0" }, { PETS_MAX_WAIT: "1h" }, { maxWaitMs: 0 }],
    [{}, { PETS_MAX_WAIT: "1h" }, { maxWaitMs: 3_600_000 }],
    [{ maxWait: "720h" }, {}, { maxWaitMs: 2_592_000_000 }],
    [{ ...on, color: false }, {}, { ...on, color: false }],
  ])("%j over %j", (raw, env, values, from = {}) => {
    const found = settingsOf(raw, env);
    expect(valuesOf(found)).toEqual({ ...valuesOf(defaults), ...values });
    for (const [name, place] of Object.entries(from))
      expect(found.given).toMatchObject({ [name]: { from: place } });
  });

  it.each<[TypedOptions, Environment, string]>([
    [{ profile: "" }, { PETS_PROFILE: "b" }, "--profile must be"],
    [{ profile: "-a" }, {}, "--profile must be letters"],
    [{ profile: "a\n" }, {}, 'not "a\\n"'],
    [{ profile: "a".repeat(65) }, {}, "--profile must be"],
    [{}, { PETS_PROFILE: "a b" }, "PETS_PROFILE must be"],
    [{ baseUrl: "" }, { PETS_BASE_URL: "https://b.example" }, "--base-url must not be empty"],
    [{}, { PETS_BASE_URL: "http://b.example/v1" }, "PETS_BASE_URL must use https;"],
    [{ fields: "" }, {}, "--fields must be"],
    [{ fields: "id,,name" }, {}, "--fields must be"],
    [{ timeout: "" }, {}, "--timeout must be a duration such as"],
    [{ timeout: "0" }, {}, "--timeout must be at least 1ms"],
    [{ timeout: "721h" }, {}, '--timeout must be at most 720h (30 days), not "721h"'],
    [{}, { PETS_MAX_WAIT: "2592000.1" }, "PETS_MAX_WAIT must be at most 720h (30 days)"],
    [{ timeout: "-1" }, {}, 'not "-1"'],
    [{}, { PETS_TIMEOUT: "soon" }, "PETS_TIMEOUT must be a duration such as"],
    [{ maxWait: "1e3" }, {}, "--max-wait must be a duration such as"],
    [{}, { PETS_LIMITER_REQUIRED: "yes" }, "PETS_LIMITER_REQUIRED must be 1 or 0"],
  ])("rejects %j with %j: %s", (raw, env, part) => {
    const failure = { code: "usage", message: expect.stringContaining(part) };
    expect(() => settingsOf(raw, env)).toThrow(expect.objectContaining(failure));
  });

  it.each(["sec ret", "sec\nret", "sec\u0000ret", "secrét", "sec\u200bret", "sec\u007fret"])(
    "rejects the key %j and does not show it",
    (key) => {
      const { message, hints } = failureOf(() => settingsOf({}, { PETS_API_KEY: key }));
      expect(message).toContain("PETS_API_KEY");
      expect([message, ...hints].join("\n")).not.toContain("sec");
    },
  );
});

describe("the format", () => {
  it.each([
    [{}, {}, { format: "table" }],
    [{}, { PETS_OUTPUT: "" }, { format: "table" }],
    [{}, { PETS_OUTPUT: "tsv" }, { format: "tsv" }],
    [{ output: "csv" }, { PETS_OUTPUT: "tsv" }, { format: "csv" }],
    [{ output: "table" }, {}, { format: "table" }],
    [{ json: true }, { PETS_OUTPUT: "tsv" }, { format: "json" }],
    [{ json: true, output: "json" }, {}, { format: "json" }],
  ])("of %j and %j is %j", (typed, env, expected) => {
    expect(settingsOf(typed, env)).toMatchObject(expected);
  });

  it.each([
    [{ output: "" }, {}, '--output must be table, json, ndjson, csv or tsv, not ""'],
    [
      { output: "toString" },
      {},
      '--output must be table, json, ndjson, csv or tsv, not "toString"',
    ],
    [{}, { PETS_OUTPUT: "xml" }, 'PETS_OUTPUT must be table, json, ndjson, csv or tsv, not "xml"'],
    [{ json: true, output: "csv" }, {}, '--json and --output "csv" cannot be used together'],
    [{ json: true, output: "" }, {}, "cannot be used together"],
  ])("rejects %j and %j", (typed, env, message) => {
    expect(() => settingsOf(typed, env)).toThrow(message);
  });
});

describe("settingsWithProfile", () => {
  const saved = { baseUrl: "https://p.example/v1", limiter: "redis://p", limiterRequired: true };

  it.each<[TypedOptions, Environment, object]>([
    [{}, {}, { baseUrl: new URL(saved.baseUrl), limiter: { host: "p" }, limiterRequired: true }],
    [{ baseUrl: "https://f.example/v1" }, {}, { baseUrl: new URL("https://f.example/v1") }],
    [{}, { PETS_LIMITER: "redis://e" }, { limiter: { host: "e" }, limiterRequired: true }],
    [{}, { PETS_LIMITER: "off" }, { limiter: undefined }],
    [{ limiter: "redis://f" }, { PETS_LIMITER: "redis://e" }, { limiter: { host: "f" } }],
    [{}, { PETS_LIMITER_REQUIRED: "0" }, { limiterRequired: false }],
  ])("takes what %j and %j leave out from the profile", (typed, env, expected) => {
    const settings = settingsWithProfile(settingsOf(typed, env), { name: "shop", profile: saved });
    expect(settings).toMatchObject(expected);
  });

  it("names the profile of a value that is wrong", () => {
    const plain = { name: "shop", profile: { baseUrl: "http://p.example/v1" } };
    const wrong = /^the base URL of profile shop must use https/;
    expect(() => settingsWithProfile(defaults, plain)).toThrow(wrong);
    const { baseUrl } = settingsWithProfile(settingsOf({ allowHttp: true }), plain);
    expect(baseUrl?.href).toBe(plain.profile.baseUrl);
  });
});
