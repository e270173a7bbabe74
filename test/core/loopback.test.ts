import { describe, expect, it } from "vitest";
import { isLoopbackHost } from "../../src/core/loopback.ts";

describe("isLoopbackHost", () => {
  it.each([
    ["http://127.0.0.1/", true],
    ["http://127.255.3.4/", true],
    ["http://127.1/", true],
    ["http://2130706433/", true],
    ["http://[::1]:4010/", true],
    ["http://[0:0:0:0:0:0:0:1]/", true],
    ["http://[::ffff:127.0.0.1]/", true],
    ["http://LOCALHOST/", true],
    ["http://localhost./", true],
    ["http://a.b.localhost/", true],
    ["http://0.0.0.0/", false],
    ["http://128.0.0.1/", false],
    ["http://[::]/", false],
    ["http://[::ffff:10.0.0.1]/", false],
    ["http://[::ffff:7fff]/", false],
    ["http://localhost.example/", false],
    ["http://notlocalhost/", false],
    ["http://127.0.0.1.example/", false],
  ])("%s: %s", (url, expected) => {
    expect(isLoopbackHost(new URL(url).hostname)).toBe(expected);
  });
});
