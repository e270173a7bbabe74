import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import { dataLocation, readAddress, readData } from "../../../src/commands/serve/listen-options.ts";
import type { ServeOptions } from "../../../src/commands/serve/options.ts";

const contextWith = (allowHttp: boolean): Context =>
  ({ settings: { allowHttp }, folders: { data: "/data/pets" } }) as unknown as Context;
const context = contextWith(false);

const read = (options: ServeOptions) => readAddress(context, options);

describe("readAddress", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["localhost", "localhost"],
    ["::1", "[::1]"],
    ["[::1]", "[::1]"],
  ])("--host %s", (host, expected) => {
    expect(read({ host }).host).toBe(expected);
  });

  it.each<ServeOptions>([
    { host: "" },
    { host: "0.0.0.0" },
    { host: "::" },
    { host: "store.example" },
    { host: "a b" },
    { host: "localhost:80" },
    { host: "127.0.0.1.evil.example" },
    { host: "user@localhost" },
    { host: "0" },
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

  it.each<ServeOptions>([
    { tlsCert: "cert.pem" },
    { tlsKey: "key.pem" },
    { tlsCert: "", tlsKey: "key.pem" },
    { tlsCert: "cert.pem", tlsKey: "" },
    { tlsCert: "cert.pem", tlsKey: "key.pem", host: "a b" },
  ])("refuses %j", (options) => {
    expect(() => read(options)).toThrow(expect.objectContaining({ kind: "usage" }));
  });

  it("accepts every host with --allow-http", () => {
    expect(readAddress(contextWith(true), { host: "0.0.0.0" }).host).toBe("0.0.0.0");
  });
});

describe("readData", () => {
  it.each<readonly [ServeOptions, boolean, string | undefined]>([
    [{}, false, "/data/pets/store.db"],
    [{}, true, undefined],
    [{ memory: true }, false, undefined],
    [{ data: "x.db" }, true, "x.db"],
    [{ data: "postgres://u@h/d" }, false, "postgres://u@h/d"],
    [{ data: "POSTGRESQL://h" }, false, "POSTGRESQL://h"],
  ])("%j, with a command: %s", (options, hasCommand, file) => {
    expect(readData(context, options, hasCommand)).toEqual({
      file,
      isDefaultFolder: file === "/data/pets/store.db",
    });
  });

  it.each<ServeOptions>([
    { data: "" },
    { data: "mysql://x" },
    { data: "x", memory: true },
    { data: "postgres:user:secret" },
    { data: " postgress://user:secret@host/x" },
  ])("refuses %j, without showing it", (options) => {
    expect(() => readData(context, options, false)).toThrow("--data");
    expect(() => readData(context, options, false)).toThrow(
      expect.objectContaining({ kind: "usage", message: expect.not.stringContaining("secret") }),
    );
  });
});

describe("dataLocation", () => {
  it("is the store's own file without --data", () => {
    expect(dataLocation(context, undefined).file).toBe("/data/pets/store.db");
  });
});
