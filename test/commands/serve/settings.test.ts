import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import type { ServeOptions } from "../../../src/commands/serve/options.ts";
import { parseChildCommand, readServeSettings } from "../../../src/commands/serve/settings.ts";

type Env = Readonly<Record<string, string>>;

/** Reads options without a command, or with one. */
function read(options: ServeOptions, hasCommand = false, env: Env = {}, allowHttp = false) {
  const context = {
    argv: hasCommand ? ["serve", "--", "true"] : ["serve"],
    env,
    settings: { allowHttp },
    folders: { data: "/data/pets" },
  } as unknown as Context;
  return readServeSettings(context, hasCommand ? ["true"] : [], options);
}

const usage = (message: string) =>
  expect.objectContaining({ kind: "usage", message: expect.stringContaining(message) });
const untroubled = { shares: new Map(), latency: { ms: 0, jitter: 0 }, faultSeed: 1 };

describe("readServeSettings", () => {
  it("defaults to port 4010 of 127.0.0.1, the default data file, and the plan free", () => {
    expect(read({})).toMatchObject({
      port: 4010,
      host: "127.0.0.1",
      tls: undefined,
      file: "/data/pets/store.db",
      plans: [],
      faults: undefined,
    });
  });

  it("defaults to a free port, memory and the plan enterprise for a command", () => {
    expect(read({}, true)).toMatchObject({ port: 0, file: undefined, plans: [] });
    expect(read({ port: 4010, plan: ["pro", "1/min,2/day"] }, true)).toMatchObject({
      port: 4010,
      plans: [{ name: "pro" }, { quotas: [{ limit: 1 }, { limit: 2 }] }],
    });
  });

  it.each<readonly [ServeOptions, boolean, string | undefined]>([
    [{ memory: true }, false, undefined],
    [{ data: "x.db" }, true, "x.db"],
    [{ data: "postgres://u@h/d" }, false, "postgres://u@h/d"],
    [{ data: "POSTGRESQL://h" }, false, "POSTGRESQL://h"],
  ])("with %j, and a command: %s, keeps animals in %s", (options, hasCommand, file) => {
    expect(read(options, hasCommand).file).toBe(file);
  });

  it.each<readonly [ServeOptions, boolean, object]>([
    [{ data: "x.db" }, true, untroubled],
    [{ lab: true, data: "x.db" }, false, untroubled],
    [{ memory: true, fault: "429:0.1" }, false, { ...untroubled, shares: new Map([["429", 0.1]]) }],
    [{ latency: "100+-50" }, true, { ...untroubled, latency: { ms: 100, jitter: 50 } }],
    [{ memory: true, latency: "off", fault: "off" }, false, untroubled],
    [{ lab: true, faultSeed: 0 }, false, { ...untroubled, faultSeed: 0 }],
  ])("with %j, and a command: %s, has the faults %j", (options, hasCommand, faults) => {
    expect(read(options, hasCommand).faults).toEqual(faults);
  });

  it.each<readonly [ServeOptions, boolean, string]>([
    [{ plan: ["free", "gold"] }, false, "--plan must be free, pro, business"],
    [{ clock: 0 }, false, "--clock needs --lab"],
    [{ ban: 5_000 }, false, "--ban needs --lab"],
    [{ cors: ["http://localhost:5173"] }, false, "--cors needs --lab"],
    [{ fault: "429:0.1" }, false, "--fault needs --lab"],
    [{ latency: "1", data: "x.db" }, false, "--latency needs --lab"],
    [{ faultSeed: 1 }, false, "--fault-seed needs --lab"],
    [{ lab: true, data: "postgres://h/d" }, false, "--lab cannot be used with PostgreSQL"],
    [{ fault: "429:1", data: "POSTGRES://h/d" }, true, "--fault cannot be used with PostgreSQL"],
    [{ connections: 5 }, false, "--connections needs PostgreSQL"],
    [{ connections: 5, memory: true }, false, "--connections needs PostgreSQL"],
    [
      { fault: "" },
      true,
      '--fault must be shares of 429, 500, reset, truncate or hang, such as 429:0.1, not ""',
    ],
    [{ fault: "700:1" }, true, "--fault must be shares of 429, 500"],
    [{ fault: "429:2" }, true, '--fault must be shares from 0 to 1, such as 429:0.1, not "429:2"'],
    [
      { fault: "429:.6,500:.6" },
      true,
      "--fault must be shares of at most 1 together, each fault once",
    ],
    [{ latency: "" }, true, "--latency must be milliseconds or a duration up to 1h, such as 100,"],
    [{ latency: "3600001" }, true, "--latency must be milliseconds or a duration"],
    [{ report: "x.json" }, false, "--report needs a command to run, or --detach"],
    [{ check: true }, false, "--check needs a command to run, or --detach"],
    [{ detach: true }, true, "--detach and a command cannot be used together"],
    [{ data: "" }, false, "--data must be a file name"],
    [{ data: "mysql://x" }, false, "--data must be a file name"],
    [{ data: ":memory:" }, false, "--data must be a file name"],
    [{ data: "file:x.db?mode=memory" }, false, "--data must be a file name"],
    [{ host: "0.0.0.0" }, false, "--host 0.0.0.0 is reachable from other machines"],
    [{ host: "[::]" }, false, "--host [::] is reachable from other machines"],
    [{ host: "127.0.0.1.evil.example" }, false, "--host 127.0.0.1.evil.example is reachable"],
  ])("refuses %j, with a command: %s", (options, hasCommand, message) => {
    expect(() => read(options, hasCommand)).toThrow(usage(message));
  });

  it.each([
    "postgres:user:secret",
    "postgres:/user:secret@host/x",
    " postgress://user:secret@host/x",
  ])("refuses %j as data, without showing it", (data) => {
    expect(() => read({ data })).toThrow(usage("--data"));
    expect(() => read({ data })).not.toThrow(/secret/);
  });

  it.each([
    [{ PETS_SERVE_KEY: "abc" }, "abc"],
    [{ PETS_SERVE_KEY: "" }, undefined],
  ])("takes the key from %j", (env, expected) => {
    expect(read({}, false, env).apiKey).toBe(expected);
  });

  it("rejects a key that can't be sent without showing it", () => {
    const env = { PETS_SERVE_KEY: "sec ret" };
    expect(() => read({}, false, env)).toThrow("PETS_SERVE_KEY");
    expect(() => read({}, false, env)).not.toThrow(/sec ret/);
  });

  it("accepts every host with TLS, and with --allow-http", () => {
    const tls = { tlsCert: "cert.pem", tlsKey: "key.pem" };
    const expected = { host: "0.0.0.0", tls: { cert: "cert.pem", key: "key.pem" } };
    expect(read({ host: "0.0.0.0", ...tls })).toMatchObject(expected);
    expect(read({ host: "0.0.0.0" }, false, {}, true).host).toBe("0.0.0.0");
  });
});

describe("parseChildCommand", () => {
  it.each([
    ["a", "serve -- a", ["a"]],
    ["a -- -x", "serve --memory -- a -- -x", ["a", "--", "-x"]],
    ["a a", "serve -- a a", ["a", "a"]],
  ])("of the words %j in %j is %j", (words, argv, command) => {
    expect(parseChildCommand(words.split(" "), argv.split(" "))).toEqual(command);
  });

  it.each([
    [["a"], "serve a"],
    [["a", "b"], "serve a -- b"],
    [[], "serve --"],
  ])("refuses the words %j in %j", (words, argv) => {
    expect(() => parseChildCommand(words, argv.split(" "))).toThrow(usage(""));
  });
});
