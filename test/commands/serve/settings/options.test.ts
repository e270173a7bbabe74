import { describe, expect, it } from "vitest";
import { serve } from "../../../../src/commands/serve/command.ts";
import { readTyped } from "../../../support/command/typed.ts";

const read = (options: Readonly<Record<string, string | true>>) =>
  readTyped(
    serve,
    Object.entries(options).map(([name, value]) =>
      value === true ? `--${name}` : `--${name}=${value}`,
    ),
  );

describe("the options of pets serve, as typed", () => {
  it.each<[Readonly<Record<string, string>>, object]>([
    [{ port: "0" }, { port: 0 }],
    [{ port: "65535" }, { port: 65_535 }],
    [{ seed: "24" }, { seed: 24 }],
    [{ seed: "1000000" }, { seed: 1_000_000 }],
    [{ seed: "animals.ndjson" }, { seed: "animals.ndjson" }],
    [{ "fault-seed": "4294967295" }, { faultSeed: 4_294_967_295 }],
    [{ host: "127.1" }, { host: "127.0.0.1" }],
    [{ host: "localhost" }, { host: "localhost" }],
    [{ host: "::1" }, { host: "[::1]" }],
    [{ host: "[::1]" }, { host: "[::1]" }],
    [
      { "tls-cert": "a", "tls-key": "b" },
      { tlsCert: "a", tlsKey: "b" },
    ],
  ])("%j is %j", (options, expected) => {
    expect(read(options)).toMatchObject(expected);
  });

  it.each<Readonly<Record<string, string | true>>>([
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
    { seed: "1000001" },
    { "fault-seed": "" },
    { "fault-seed": "4294967296" },
    { "fault-seed": "-1" },
    { "fault-seed": "01" },
    { host: "" },
    { host: "a b" },
    { host: "localhost:80" },
    { host: "user@localhost" },
    { script: "" },
    { "write-env": "" },
    { report: "" },
    { data: "x", memory: true },
    { "tls-cert": "cert.pem" },
    { "tls-key": "key.pem" },
    { "tls-key": "key.pem", "tls-cert": "" },
    { "tls-cert": "cert.pem", "tls-key": "" },
  ])("refuses %j", (typed) => {
    expect(() => read(typed)).toThrow(`--${Object.keys(typed).at(-1)}`);
  });
});
