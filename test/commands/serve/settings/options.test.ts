import { describe, expect, it } from "vitest";
import { readInput } from "../../../../src/cli/read-input.ts";
import { serve } from "../../../../src/commands/serve/command.ts";

const read = (options: Readonly<Record<string, unknown>>) =>
  readInput(serve, { arguments: [[]], options });

describe("the options of pets serve, as typed", () => {
  it.each<[Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
    [{ port: "0" }, { port: 0 }],
    [{ port: "65535" }, { port: 65_535 }],
    [{ seed: "24" }, { seed: 24 }],
    [{ seed: "10000000" }, { seed: 10_000_000 }],
    [{ seed: "animals.ndjson" }, { seed: "animals.ndjson" }],
    [{ faultSeed: "4294967295" }, { faultSeed: 4_294_967_295 }],
    [{ host: "127.1" }, { host: "127.0.0.1" }],
    [{ host: "localhost" }, { host: "localhost" }],
    [{ host: "::1" }, { host: "[::1]" }],
    [{ host: "[::1]" }, { host: "[::1]" }],
    [
      { tlsCert: "a", tlsKey: "b" },
      { tlsCert: "a", tlsKey: "b" },
    ],
  ])("%j is %j", async (options, expected) => {
    expect(await read(options)).toMatchObject(expected);
  });

  it.each<Readonly<Record<string, unknown>>>([
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
    { tlsKey: "key.pem", "tls-cert": "" },
    { tlsCert: "cert.pem", "tls-key": "" },
  ])("refuses %j", async (typed) => {
    const flag = `--${Object.keys(typed).at(-1)}`;
    const options = Object.entries(typed).map(([name, value]) => [
      name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase()),
      value,
    ]);
    const refused = read(Object.fromEntries(options));
    await expect(refused).rejects.toThrow(flag);
    await expect(refused).rejects.toMatchObject({ kind: "usage" });
  });
});
