import { describe, expect, it } from "vitest";
import { parseBaseUrl } from "../../src/config/base-url.ts";
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
    ["https:/ann:hidden@store.example", "a user name or a password"],
    ["https:ann:hidden@store.example", "a user name or a password"],
    ["http:////ann:hidden@127.0.0.1/v1", "a user name or a password"],
    ["http:/\\ann:hidden@127.0.0.1/v1", "a user name or a password"],
    ["https://hidden@store.example", "a user name or a password"],
    ["https://ann:hid/den@store.example", "must be a URL"],
    ['"https://store.example/v1"', "in quotes"],
    ["'https://store.example/v1'", "in quotes"],
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
    ["//store.example/v1", "https://store.example/v1"],
    ["://store.example/v1", "https://store.example/v1"],
    ["https:/store.example/v1", "https://store.example/v1"],
    ["https:store.example/v1", "https://store.example/v1"],
    ["https//store.example/v1", "https://store.example/v1"],
    ["https://https//store.example/v1", "https://store.example/v1"],
    ["https/store.example/v1", "https://store.example/v1"],
    ["https;//store.example/v1", "https://store.example/v1"],
    ["https:///store.example/v1", "https://store.example/v1"],
    ["https:////store.example:8443/v1", "https://store.example:8443/v1"],
    ["https:\\\\store.example\\v1", "https://store.example/v1"],
    ["HTTPS:/Store.example/v1", "https://Store.example/v1"],
    ["http:/localhost:4010/v1", "http://localhost:4010/v1"],
    ["http:///127.0.0.1:4010/v1", "http://127.0.0.1:4010/v1"],
    ["https:/[::1]:4010/v1", "https://[::1]:4010/v1"],
    ["http:///store.example/v1", "https://store.example/v1"],
    ["htps://store.example/v1", "https://store.example/v1"],
    ["ttps://store.example/v1", "https://store.example/v1"],
    ["htpp://localhost/v1", "http://localhost/v1"],
    ["https://https://store.example/v1", "https://store.example/v1"],
    ["http://https:/store.example/v1", "https://store.example/v1"],
  ])("suggests a URL that works for %j", (text, offered) => {
    const failure = failureOf(() => parseBaseUrl(text, "PETS_BASE_URL", false));
    expect(failure.message).toContain("PETS_BASE_URL");
    expect(failure.hints).toEqual([`Did you mean "${offered}"?`]);
    expect(parseBaseUrl(offered, "PETS_BASE_URL", false)).toEqual(new URL(offered));
  });

  it("suggests http: for other hosts if that is allowed", () => {
    const { hints } = failureOf(() => parseBaseUrl("http:/store.example/v1", "--base-url", true));
    expect(hints).toEqual(['Did you mean "http://store.example/v1"?']);
  });

  const key = "pets_0123456789abcdef";

  it.each([
    "https:///v1",
    "https:/",
    "https:/v1",
    "http:4010/v1",
    "hotp:4010/v1",
    "ftp:/store.example/v1",
    "ftp://store.example/v1",
    "https:/store.example:99999/v1",
    "https:/store.example:hidden/v1",
    "https//ann:hidden/v1",
    "https://ann:hidden",
    "https//ann:hidden@store.example/v1",
    `https:/${key}`,
    `htps://${key}`,
    `${key}://v1`,
    `store.example/${key}`,
    `https:/store.example/${key}/v1`,
  ])("suggests nothing for %j, and shows no secret", (text) => {
    const { message, hints } = failureOf(() => parseBaseUrl(text, "--base-url", false));
    expect(hints.filter((hint) => hint !== "Use a URL such as https://store.example/v1.")).toEqual(
      [],
    );
    expect(message).not.toMatch(/hidden|0123/);
  });
});

it.each([
  ["pets_0123456789abcdefghijABCDEFGHIJ24", "…IJ24"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIzNA", "…IzNA"],
  ["foo", "foo"],
])("shows a key that was pasted as a base URL masked: %s", (text, shown) => {
  const { message, hints } = failureOf(() => parseBaseUrl(text, "--base-url", false));
  expect([message, hints]).toEqual([
    `--base-url must begin with https:// or http://, not "${shown}"`,
    [],
  ]);
});
