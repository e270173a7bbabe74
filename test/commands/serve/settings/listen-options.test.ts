import { describe, expect, it } from "vitest";
import type { Context } from "../../../../src/commands/context.ts";
import {
  dataPlace,
  readAddress,
  readData,
} from "../../../../src/commands/serve/settings/listen-options.ts";
import type { ServeOptions } from "../../../../src/commands/serve/settings/options.ts";

const contextWith = (allowHttp: boolean): Context =>
  ({ settings: { allowHttp }, folders: { data: "/data/pets" } }) as unknown as Context;
const context = contextWith(false);

const read = (options: ServeOptions) => readAddress(context, options);

describe("readAddress", () => {
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
    { data: "postgres:user:secret" },
    { data: " postgress://user:secret@host/x" },
  ])("refuses %j, without showing it", (options) => {
    expect(() => readData(context, options, false)).toThrow("--data");
    expect(() => readData(context, options, false)).toThrow(
      expect.objectContaining({ kind: "usage", message: expect.not.stringContaining("secret") }),
    );
  });
});

describe("dataPlace", () => {
  it("is the store's own file without --data", () => {
    expect(dataPlace(context, undefined)).toBe("/data/pets/store.db");
  });
});
