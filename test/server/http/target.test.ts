import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { isBelow, readTarget } from "../../../src/server/http/exchange.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";

/** As with `joinDuplicateHeaders`. */
const read = (url: string, ...host: readonly string[]) =>
  readTarget({
    url,
    headers: host.length === 0 ? {} : { host: host.join(", ") },
    httpVersion: "1.1",
  } as IncomingMessage);

describe("readTarget", () => {
  it.each([
    ["/v1/pets?limit=1", "/v1/pets?limit=1", "/v1/pets"],
    ["http://x:1/v1/pets?a", "/v1/pets?a", "/v1/pets"],
    ["HTTPS://x", "/", "/"],
    ["http://x?a", "/?a", "/"],
    ["//v1/pets", "//v1/pets", "//v1/pets"],
    ["*", "/*", "/*"],
    ["x:443", "/*", "/*"],
    ["http://", "/*", "/*"],
    ["/v1\\pets", "/v1\\pets", "/v1\\pets"],
    ["/v1/pets#x?y", "/v1/pets#x?y", "/v1/pets"],
    ["/v1/%70ets", "/v1/%70ets", "/v1/pets"],
    ["/v1/x/../pets", "/v1/x/../pets", "/v1/x/../pets"],
    ["/v1/%2e%2e/healthz", "/v1/%2e%2e/healthz", "/v1/../healthz"],
    ["http://x/v1/%2E./pets?a?b", "/v1/%2E./pets?a?b", "/v1/../pets"],
    ["/%2576", "/%2576", "/%76"],
    ["/v1/pets/1%2F2", "/v1/pets/1%2F2", "/v1/pets/1%2F2"],
    ["/v1/pets/%zz", "/v1/pets/%zz", "/v1/pets/%zz"],
  ])("%s is %s, with the path %s", (text, target, path) => {
    expect(read(text, "a")).toMatchObject({ target, path });
  });

  it.each([
    ["/", ["a:1"], "a:1"],
    ["/", [], undefined],
    ["/", ["a", "a"], undefined],
    ["/", ["a/b"], undefined],
    ["http://b:2/", ["a:1"], "b:2"],
    ["http://c@b/", ["a"], "b"],
    ["http://b/", [], undefined],
  ])("of %s with the hosts %j is for %s", (text, hosts, host) => {
    expect(read(text, ...hosts).host).toBe(host);
  });
});

describe("isBelow", () => {
  it.each([
    ["/v1", true],
    ["/v1/", true],
    ["/v1/pets", true],
    ["/v10", false],
    ["/", false],
    ["/x/v1", false],
  ])("%s /v1: %s", (path, expected) => {
    expect(isBelow(path, "/v1")).toBe(expected);
  });
});

describe("the Host of a request", () => {
  it.each([
    "localhost",
    "LOCALHOST:1",
    "localhost:",
    "[::1]:4010",
    "[::0001]:80",
    "[::ffff:127.0.0.1]:4010",
    "store.example:80",
    "a_b",
    "a!b%41",
    "127.0.0.1:4010",
    "127.1:80",
    "",
  ])("may be %j", (host) => {
    expect(read("/", host).host).toBe(host);
  });
});

describe("a target in absolute form", () => {
  it.each([
    ["http://127.0.0.1/_store/state", "evil.example", 200],
    ["http://localhost:1/_store/state", "localhost", 200],
    ["http://evil.example/_store/state", "127.0.0.1", 404],
    ["http://127.0.0.1@evil.example/_store/state", "127.0.0.1", 404],
    ["HTTPS://evil.example:80/_store/state", "127.0.0.1", 404],
    ["http://evil.example/v1/pets", "127.0.0.1", 200],
  ])("%s with the Host %s: %i", async (target, host, status) => {
    const { port, apiKey } = await startTestStore();
    const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${apiKey}`];
    const [reply] = await sendRaw(port, [`${lines.join("\r\n")}\r\n\r\n`]);
    expect(reply?.status).toBe(status);
  });
});
