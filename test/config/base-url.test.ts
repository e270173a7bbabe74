import { describe, expect, it } from "vitest";
import { parseBaseUrl, showBaseUrl } from "../../src/config/base-url.ts";
import { failureOf } from "../support/command/failure.ts";

describe("parseBaseUrl", () => {
  it.each([
    ["https://store.example/v1/", "https://store.example/v1/"],
    ["https://store.example/shop/eu/v1", "https://store.example/shop/eu/v1"],
    ["HTTPS://Store.Example:443/V1", "https://store.example/V1"],
    ["  https://store.example/v1\n", "https://store.example/v1"],
    ["https://store.example/@v1", "https://store.example/@v1"],
    ["http://127.0.0.1:4010/v1", "http://127.0.0.1:4010/v1"],
    ["http://[::1]:4010/v1", "http://[::1]:4010/v1"],
    ["http://api.localhost/v1", "http://api.localhost/v1"],
  ])("%j is %s", (text, href) => {
    expect(parseBaseUrl(text, "--base-url", false).href).toBe(href);
  });

  it("accepts http: for other hosts if that is allowed", () => {
    expect(parseBaseUrl("http://10.0.0.7:8080/v1", "--base-url", true).host).toBe("10.0.0.7:8080");
  });

  it.each([
    ["", "must not be empty"],
    ["http://10.0.0.7/v1", "must use https;"],
    ["http://127.0.0.1.example/v1", "must use https;"],
    ["https://store.example/v1?key=hidden", "a query"],
    ["https://store.example/v1#hidden", "a fragment"],
    ["https://ann:hidden@store.example/v1", "a user name or a password"],
    ["https:/ann:hidden@store.example", "must begin with https:// or http://"],
    ["https://ann:hid/den@store.example", "must be a URL"],
    ["ann:hidden@store.example/v1", "a user name or a password"],
    ["ann:hid/den@store.example/v1", "must begin with https:// or http://"],
    ["https://store.example/a\tb", "white space or control characters"],
    ["https://store\u0000.example/v1", "white space or control characters"],
    ["https://", "must be a URL"],
    ["https://store.example:99999/v1", "must be a URL"],
    ["ftp://store.example/v1", "not ftp://"],
    ["/v1", "must begin with https:// or http://"],
  ])("refuses %j: %s", (text, part) => {
    const failure = failureOf(() => parseBaseUrl(text, "--base-url", false));
    expect(failure.kind).toBe("usage");
    expect(failure.message).toContain("--base-url");
    expect(failure.message).toContain(part);
    expect([failure.message, ...failure.hints].join("\n")).not.toMatch(/hidden|hid.den/);
    expect(failure.message).not.toMatch(/[\n\t]/);
  });

  it.each([
    ["store.example/v1", "https://store.example/v1"],
    ["localhost:4010/v1", "http://localhost:4010/v1"],
    ["127.0.0.1:4010/v1", "http://127.0.0.1:4010/v1"],
  ])("suggests a scheme for %j", (text, offered) => {
    const failure = failureOf(() => parseBaseUrl(text, "PETS_BASE_URL", false));
    expect(failure.message).toContain("PETS_BASE_URL");
    expect(failure.hints).toEqual([`Did you mean "${offered}"?`]);
  });
});

describe("showBaseUrl", () => {
  it.each([
    ["https://store.example/v1", "https://store.example/v1"],
    ["https://store.example/@v1", "https://store.example/@v1"],
    ["https://ann:hidden@store.example/v1", "https://…@store.example/v1"],
    ["https://ann:hid/den@store.example/v1", "…"],
    ["no address", "no address"],
  ])("%j: %j", (text, shown) => {
    expect(showBaseUrl(text)).toBe(shown);
  });
});
