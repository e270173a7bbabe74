import { describe, expect, it } from "vitest";
import type { Context } from "../../../../src/commands/context.ts";
import type { ServeOptions } from "../../../../src/commands/serve/settings/options.ts";
import {
  dataPlace,
  parseChildCommand,
  readServeSettings,
} from "../../../../src/commands/serve/settings/settings.ts";

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
      plans: [],
    });
  });

  it("defaults to a free port, memory and the plan enterprise for a command", () => {
    expect(withCommand({})).toMatchObject({
      port: 0,
      file: undefined,
      plans: [],
    });
    expect(withCommand({ port: 4010, data: "x.db", plan: ["pro", "1/min,2/day"] })).toMatchObject({
      port: 4010,
      file: "x.db",
      plans: [{ name: "pro" }, { quotas: [{ limit: 1 }, { limit: 2 }] }],
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
    const expected = { check: true, report: "x.json" };
    expect(withCommand({ check: true, report: "x.json" })).toMatchObject(expected);
    expect(read({ check: true, report: "x.json", detach: true })).toMatchObject({
      ...expected,
      detach: true,
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

describe("the address", () => {
  it.each(["127.0.0.1", "localhost", "[::1]"])("--host %s", (host) => {
    expect(read({ host }).host).toBe(host);
  });

  it.each<ServeOptions>([
    { host: "0.0.0.0" },
    { host: "[::]" },
    { host: "store.example" },
    { host: "127.0.0.1.evil.example" },
  ])("refuses %j", (options) => {
    expect(() => read(options)).toThrow("--host");
    expect(() => read(options)).toThrow(expect.objectContaining({ kind: "usage" }));
  });

  it("accepts every host with TLS", () => {
    const tls = { tlsCert: "cert.pem", tlsKey: "key.pem" };
    const expected = { host: "0.0.0.0", tls: { cert: "cert.pem", key: "key.pem" } };
    expect(read({ host: "0.0.0.0", ...tls })).toMatchObject(expected);
    expect(read(tls)).toMatchObject({ ...expected, host: "127.0.0.1" });
    expect(read({}).tls).toBeUndefined();
  });

  it("accepts every host with --allow-http", () => {
    expect(readServeSettings(context({}, [], true), [], { host: "0.0.0.0" }).host).toBe("0.0.0.0");
  });
});

describe("the place of the data", () => {
  it.each<readonly [ServeOptions, boolean, string | undefined]>([
    [{}, false, "/data/pets/store.db"],
    [{}, true, undefined],
    [{ memory: true }, false, undefined],
    [{ data: "x.db" }, true, "x.db"],
    [{ data: "postgres://u@h/d" }, false, "postgres://u@h/d"],
    [{ data: "POSTGRESQL://h" }, false, "POSTGRESQL://h"],
  ])("%j, with a command: %s", (options, hasCommand, file) => {
    expect((hasCommand ? withCommand : read)(options)).toMatchObject({
      file,
    });
  });

  it.each<ServeOptions>([
    { data: "" },
    { data: "mysql://x" },
    { data: "postgres:user:secret" },
    { data: " postgress://user:secret@host/x" },
  ])("refuses %j, without showing it", (options) => {
    expect(() => read(options)).toThrow("--data");
    expect(() => read(options)).toThrow(
      expect.objectContaining({ kind: "usage", message: expect.not.stringContaining("secret") }),
    );
  });
});

describe("dataPlace", () => {
  it("is the store's own file without --data", () => {
    expect(dataPlace(context(), undefined)).toBe("/data/pets/store.db");
  });
});
