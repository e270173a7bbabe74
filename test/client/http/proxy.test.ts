import { describe, expect, it } from "vitest";
import { chooseProxy } from "../../../src/client/http/proxy.ts";
import { Failure } from "../../../src/core/errors.ts";
import type { Environment } from "../../../src/platform/io.ts";

const https = "https://api.example.com/v1";
const http = "http://api.example.com/v1";
const choose = (target: string, env: Environment) => chooseProxy(new URL(target), env);

describe("chooseProxy", () => {
  it.each<[string, Environment, string | undefined]>([
    [https, {}, undefined],
    [https, { https_proxy: "http://p:1" }, "http://p:1/"],
    [https, { HTTPS_PROXY: "http://p:1" }, "http://p:1/"],
    [https, { https_proxy: "http://a:1", HTTPS_PROXY: "http://b:1" }, "http://a:1/"],
    [https, { https_proxy: "", HTTPS_PROXY: "http://b:1" }, "http://b:1/"],
    [https, { https_proxy: " ", HTTPS_PROXY: "", all_proxy: "http://c:1" }, "http://c:1/"],
    [https, { ALL_PROXY: "http://c:1" }, "http://c:1/"],
    [https, { all_proxy: "http://c:1", HTTPS_PROXY: "http://b:1" }, "http://b:1/"],
    [https, { http_proxy: "http://p:1", HTTP_PROXY: "http://p:1" }, undefined],
    [http, { http_proxy: "http://p:1" }, "http://p:1/"],
    [http, { HTTP_PROXY: "http://p:1" }, "http://p:1/"],
    [http, { https_proxy: "http://p:1" }, undefined],
    [https, { https_proxy: "p:3128" }, "http://p:3128/"],
    [https, { https_proxy: "p" }, "http://p/"],
    [https, { https_proxy: "[::1]:3128" }, "http://[::1]:3128/"],
    [https, { https_proxy: "u:p@h:3128/" }, "http://h:3128/"],
    [https, { https_proxy: "HTTPS://p:1/path?q" }, "https://p:1/"],
  ])("%s with %j: %s", (target, env, expected) => {
    expect(choose(target, env)?.url.href).toBe(expected);
  });

  it.each(["127.0.0.1:4010", "127.9.9.9", "[::1]", "localhost:1", "a.localhost"])(
    "is never used for %s",
    (host) => {
      const env = { http_proxy: "http://p:1", https_proxy: "socks5://p", all_proxy: "http://p:1" };
      expect(choose(`http://${host}/v1`, env)).toBeUndefined();
      expect(choose(`https://${host}/v1`, env)).toBeUndefined();
    },
  );

  it.each<[string, string, boolean]>([
    [https, "*", true],
    [https, "api.example.com", true],
    [https, "example.com", true],
    [https, ".example.com", true],
    [https, "*.example.com", true],
    [https, "EXAMPLE.com.", true],
    [https, "other.org, example.com", true],
    [https, "other.org example.com", true],
    [https, "com", true],
    [https, "ample.com", false],
    [https, "x.api.example.com", false],
    [https, "", false],
    [https, ",,", false],
    [https, ".", false],
    [https, "api.example.com:443", true],
    [https, "example.com:443", true],
    [https, "api.example.com:80", false],
    ["https://api.example.com:8443/", "example.com:8443", true],
    [http, "api.example.com:80", true],
    ["https://api.example.com./", "example.com", true],
    ["https://10.1.2.3/", "10.1.2.3", true],
    ["https://10.1.2.3/", "10.1.2.4", false],
    ["https://10.1.2.3/", "2.3", false],
    ["https://10.1.2.3:8443/", "10.1.2.3:8443", true],
    ["https://[2001:db8::1]/", "2001:db8::1", true],
    ["https://[2001:db8::1]:8443/", "[2001:db8::1]:8443", true],
    ["https://[2001:db8::1]/", "10.0.0.0/8", false],
    ["https://10.1.2.3/", "10.0.0.0/8", true],
    ["https://10.1.2.3/", "10.1.2.0/24, other.org", true],
    ["https://10.1.3.3/", "10.1.2.0/24", false],
    ["https://10.1.2.3/", "10.1.2.3/32", true],
    ["https://10.1.2.4/", "10.1.2.3/31", false],
    ["https://10.1.2.2/", "10.1.2.3/31", true],
    ["https://10.1.2.3/", "0.0.0.0/0", true],
    ["https://10.1.2.3:8443/", "10.0.0.0/8:8443", true],
    ["https://10.1.2.3:8443/", "10.0.0.0/8:443", false],
    ["https://10.1.2.3/", "10.0.0.0/33", false],
    ["https://10.1.2.3/", "10.0.0/8", false],
    ["https://10.1.2.3/", "10.0.0.0/", false],
    ["https://10.1.2.3/", "::/0", false],
    ["https://[2001:db8::1]/", "2001:db8::/32", true],
    ["https://[2001:db8::1]/", "[2001:db8::]/32", true],
    ["https://[2001:db8::1]/", "2001:DB8:0::0:1", true],
    ["https://[2001:db9::1]/", "2001:db8::/32", false],
    ["https://[2001:db8::1]/", "fe80::%eth0/10", false],
    ["https://example.com/", "0.0.0.0/0", false],
  ])("%s with no_proxy %j: exempt %s", (target, list, exempt) => {
    const all_proxy = "http://p:1";
    expect(choose(target, { all_proxy, no_proxy: list }) === undefined).toBe(exempt);
    expect(choose(target, { all_proxy, no_proxy: "", NO_PROXY: list }) === undefined).toBe(exempt);
  });

  it.each<[string, string | undefined]>([
    ["http://p:1", undefined],
    ["http://user:pass@p:1", "user:pass"],
    ["http://user@p:1", "user:"],
    ["user:pass@p:1", "user:pass"],
    ["http://us%40er:p%3Aa%2Fs@p:1", "us@er:p:a/s"],
    ["http://us%er:100%@p:1", "us%er:100%"],
    ["http://u:p%C3%A4ss@p:1", "u:päss"],
  ])("%s logs in as %s", (https_proxy, credentials) => {
    const authorization = choose(https, { https_proxy })?.authorization;
    const [, encoded] = authorization?.split(" ") ?? [];
    expect(encoded && Buffer.from(encoded, "base64").toString()).toBe(credentials);
  });

  it.each<[Environment, string]>([
    [{ https_proxy: "socks5://user:secret@p:1080" }, "https_proxy"],
    [{ HTTPS_PROXY: "socks4a://secret@p" }, "HTTPS_PROXY"],
    [{ ALL_PROXY: "ftp://user:secret@p" }, "ALL_PROXY"],
    [{ all_proxy: "http://user:secret@:0" }, "all_proxy"],
    [{ all_proxy: "http://user:secret@p:99999" }, "all_proxy"],
    [{ all_proxy: "http://" }, "all_proxy"],
    [{ all_proxy: "http://user:1#secret@p:1" }, "all_proxy"],
    [{ all_proxy: "user:1/secret@p:1" }, "all_proxy"],
  ])("rejects %j and names the variable, not the password", (env, variable) => {
    expect(() => choose(https, env)).toThrow(Failure);
    expect(() => choose(https, env)).toThrow(new RegExp(`^${variable} (?!.*secret)`));
  });
});
