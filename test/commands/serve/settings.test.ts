import { describe, expect, it } from "vitest";
import {
  parseIsoTime,
  readServeSettings,
  type ServeOptions,
  parseChildCommand,
} from "../../../src/commands/serve/settings.ts";
import type { Context } from "../../../src/commands/context.ts";

const context = (
  env: Record<string, string> = {},
  more: readonly string[] = [],
  allowHttp = false,
): Context =>
  ({
    argv: ["serve", ...more],
    env,
    settings: { allowHttp },
    folders: { data: "/data/pets" },
  }) as unknown as Context;

const read = (options: ServeOptions, env: Record<string, string> = {}) =>
  readServeSettings(context(env), [], options);

const withCommand = (options: ServeOptions) =>
  readServeSettings(context({}, ["--", "true"]), ["true"], options);

describe("readServeSettings", () => {
  it("defaults to port 4010 of 127.0.0.1, the default data file, and the plan free", () => {
    expect(read({})).toMatchObject({
      port: 4010,
      host: "127.0.0.1",
      file: "/data/pets/store.db",
      isDefaultFolder: true,
      plans: [{ name: "free" }],
    });
  });

  it("defaults to a free port, memory and the plan enterprise for a command", () => {
    expect(withCommand({})).toMatchObject({
      port: 0,
      file: undefined,
      plans: [{ name: "enterprise" }],
    });
    expect(withCommand({ port: "4010", data: "x.db", plan: ["pro", "1/min,2/day"] })).toMatchObject(
      {
        port: 4010,
        file: "x.db",
        isDefaultFolder: false,
        plans: [{ name: "pro" }, { perMinute: 1, perDay: 2 }],
      },
    );
  });

  it.each<ServeOptions>([
    { port: "65536" },
    { port: "-1" },
    { port: "4010x" },
    { port: "" },
    { port: "007" },
    { port: "1e3" },
    { seed: "" },
    { seed: "-1" },
    { seed: "+5" },
    { seed: "007" },
    { seed: "10000001" },
    { plan: ["gold"] },
    { plan: ["free", "0/min,1/day"] },
    { plan: [""] },
    { clock: "yesterday" },
    { clock: "" },
  ])("refuses %j", (options) => {
    const [flag = ""] = Object.keys(options);
    expect(() => read(options)).toThrow(`--${flag}`);
    expect(() => read(options)).toThrow(expect.objectContaining({ kind: "usage" }));
  });

  it.each([
    [{ PETS_SERVE_KEY: "abc" }, "abc"],
    [{ PETS_SERVE_KEY: "" }, undefined],
    [{}, undefined],
  ])("takes the key from %j", (env, expected) => {
    expect(read({}, env).apiKey).toBe(expected);
  });

  it("rejects a key that can't be sent without showing it", () => {
    const env = { PETS_SERVE_KEY: "sec ret" };
    expect(() => read({}, env)).toThrow("PETS_SERVE_KEY");
    expect(() => read({}, env)).not.toThrow(/sec ret/);
  });
});

describe("parseChildCommand", () => {
  it.each([
    [[], ["serve"], undefined],
    [["a"], ["serve", "--", "a"], ["a"]],
    [
      ["a", "--", "-x"],
      ["serve", "--memory", "--", "a", "--", "-x"],
      ["a", "--", "-x"],
    ],
    [
      ["a", "a"],
      ["serve", "--", "a", "a"],
      ["a", "a"],
    ],
  ])("words %j of %j", (words, argv, command) => {
    expect(parseChildCommand(words, argv)).toEqual(command);
  });

  it.each([
    [["a"], ["serve", "a"]],
    [
      ["a", "b"],
      ["serve", "a", "--", "b"],
    ],
    [[], ["serve", "--"]],
  ])("refuses words %j of %j", (words, argv) => {
    expect(() => parseChildCommand(words, argv)).toThrow(
      expect.objectContaining({ kind: "usage" }),
    );
  });
});

describe("parseIsoTime", () => {
  it.each([
    ["2030-12-05T00:00:00Z", Date.UTC(2030, 11, 5)],
    ["2030-12-05", Date.UTC(2030, 11, 5)],
    ["2030-12-05T01:30", Date.UTC(2030, 11, 5, 1, 30)],
    ["2030-12-05 01:30:15.250+01:30", Date.UTC(2030, 11, 5, 0, 0, 15, 250)],
    ["2030-12-05t01:30z", Date.UTC(2030, 11, 5, 1, 30)],
    ["2030-12-05T00:00:00+0100", Date.UTC(2030, 11, 4, 23)],
    ["2028-02-29", Date.UTC(2028, 1, 29)],
    ["1970-01-01", 0],
  ])("%s", (text, moment) => {
    expect(parseIsoTime(text, "--clock")).toBe(moment);
  });

  it.each([
    "",
    "now",
    "2030",
    "2030-13-01",
    "2030-02-30",
    "2027-02-29",
    "2030-12-05T25:00",
    "2030-12-05T00:61Z",
    "1969-12-31",
    "9999-12-31",
    "12/05/2030",
    "1764892800",
    "2030-12-05T00:00:00+99:00",
  ])("refuses %j", (text) => {
    expect(() => parseIsoTime(text, "--clock")).toThrow("--clock must be a time in ISO 8601");
  });
});
