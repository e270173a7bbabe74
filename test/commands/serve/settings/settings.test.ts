import { describe, expect, it } from "vitest";
import type { ServeOptions } from "../../../../src/commands/serve/settings/options.ts";
import {
  parseChildCommand,
  readServeSettings,
} from "../../../../src/commands/serve/settings/settings.ts";
import type { Context } from "../../../../src/commands/context.ts";

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
    expect(withCommand({ port: 4010, data: "x.db", plan: ["pro", "1/min,2/day"] })).toMatchObject({
      port: 4010,
      file: "x.db",
      isDefaultFolder: false,
      plans: [{ name: "pro" }, { perMinute: 1, perDay: 2 }],
    });
  });

  it.each<ServeOptions>([
    { plan: ["gold"] },
    { plan: ["free", "0/min,1/day"] },
    { plan: [""] },
    { clock: 0 },
    { ban: 5_000 },
    { cors: ["http://localhost:5173"] },
    { report: "x.json" },
    { check: true },
  ])("refuses %j", (options) => {
    const flag = Object.keys(options).at(-1);
    expect(() => read(options)).toThrow(`--${flag}`);
    expect(() => read(options)).toThrow(expect.objectContaining({ kind: "usage" }));
  });

  it("judges the clients of a command, or of a store in the background", () => {
    const expected = { isChecked: true, report: "x.json" };
    expect(withCommand({ check: true, report: "x.json" })).toMatchObject(expected);
    expect(read({ check: true, report: "x.json", detach: true })).toMatchObject({
      ...expected,
      isDetached: true,
    });
    expect(() => withCommand({ detach: true })).toThrow("--detach and a command cannot be used");
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
