import { describe, expect, it } from "vitest";
import { serve } from "../../../src/commands/serve/command.ts";
import { readTyped } from "../../support/command/typed.ts";

type Typed = Readonly<Record<string, string | true>>;

const read = (options: Typed) =>
  readTyped(
    serve,
    Object.entries(options).map(([name, value]) =>
      value === true ? `--${name}` : `--${name}=${value}`,
    ),
  );

describe("the options of pets serve, as typed", () => {
  it.each<[Typed, object]>([
    [{ port: "0" }, { port: 0 }],
    [{ port: "65535" }, { port: 65_535 }],
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
    [{ ban: "5s" }, { ban: 5_000 }],
    [{ ban: "1" }, { ban: 1_000 }],
    [{ ban: "1d" }, { ban: 86_400_000 }],
    [{ cors: "http://localhost:5173" }, { cors: ["http://localhost:5173"] }],
    [{ cors: "https://Shop.example/" }, { cors: ["https://shop.example"] }],
    [{ cors: "http://[::1]:80" }, { cors: ["http://[::1]"] }],
    ...[
      "null",
      "capacitor://localhost",
      "ionic://localhost",
      "tauri://localhost",
      "app://.",
      "chrome-extension://abcdef",
    ].map((cors): [Typed, object] => [{ cors }, { cors: [cors] }]),
    [{ cors: "Capacitor://localhost/" }, { cors: ["capacitor://localhost"] }],
    [{ clock: "2030-12-05" }, { clock: Date.UTC(2030, 11, 5) }],
    [{ clock: "2030-12-05 01:30:15.250+01:30" }, { clock: Date.UTC(2030, 11, 5, 0, 0, 15, 250) }],
  ])("%j is %j", (options, expected) => {
    expect(read(options)).toMatchObject(expected);
  });

  it.each<Typed>([
    ...["65536", "-1", "4010x", "", "007", "1e3"].map((port) => ({ port })),
    ...["", "-1", "+5", "007", "1000001"].map((seed) => ({ seed })),
    ...["", "4294967296", "-1", "01"].map((seed) => ({ "fault-seed": seed })),
    ...["", "a b", "localhost:80", "user@localhost"].map((host) => ({ host })),
    ...["", "0", "999ms", "25h", "-5s", "5 s", "ever"].map((ban) => ({ ban })),
    ...[
      "",
      "*",
      "NULL",
      "localhost:5173",
      "ftp://x",
      "file://x",
      "capacitor://*",
      "capacitor://a/b",
      "tauri:localhost",
      "http://x/path",
      "http://a@b",
      "http://*.x",
    ].map((cors) => ({ cors })),
    ...["", "now", "2030", "2030-02-30", "1969-12-31", "10000-01-01"].map((clock) => ({ clock })),
    { script: "" },
    { "write-env": "" },
    { report: "" },
    { data: "x", memory: true },
    { "tls-cert": "cert.pem" },
    { "tls-key": "key.pem" },
    { "tls-key": "key.pem", "tls-cert": "" },
    { "tls-cert": "cert.pem", "tls-key": "" },
    { list: true },
  ])("refuses %j", (typed) => {
    expect(() => read(typed)).toThrow(`--${Object.keys(typed).at(-1)}`);
  });
});
