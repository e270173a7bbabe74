import { describe, expect, it } from "vitest";
import { normalizeTarget, requestPath, isBelow } from "../../../src/server/http/target.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";

describe("normalizeTarget", () => {
  it.each([
    ["/v1/pets?limit=1", "/v1/pets?limit=1"],
    ["http://x:1/v1/pets?a", "/v1/pets?a"],
    ["HTTPS://x", "/"],
    ["http://x?a", "/?a"],
    ["//v1/pets", "//v1/pets"],
    ["*", "/*"],
    ["x:443", "/*"],
    ["/v1\\pets?a\\b", "/v1%5Cpets?a\\b"],
  ])("%s is %s", (target, plain) => {
    expect(normalizeTarget(target)).toBe(plain);
  });
});

describe("requestPath", () => {
  it.each([
    ["/v1/pets?limit=1", "/v1/pets"],
    ["/v1/pets#x?y", "/v1/pets"],
    ["/v1/%70ets", "/v1/pets"],
    ["/v1/x/../pets", "/v1/pets"],
    ["/v1/%2e%2e/healthz", "/healthz"],
    ["/%2576", "/%76"],
    ["/v1/pets/1%2F2", "/v1/pets/1%2F2"],
    ["/v1/pets/%zz", "/v1/pets/%zz"],
    ["//v1/pets", "//v1/pets"],
    ["/", "/"],
  ])("of %s is %s", (target, path) => {
    expect(requestPath(target)).toBe(path);
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
  ])("may be %j", async (host) => {
    const { port } = await startTestStore();
    const [reply] = await sendRaw(port, [`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
    expect(reply?.status).toBe(200);
  });
});
