import { describe, expect, it } from "vitest";
import { makeKeyMask } from "../../../src/server/inspect/key-mask.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";

describe("mask", () => {
  it.each<[string, readonly string[], string, string]>([
    ["a key of a store, in any request", [], `key=${key}`, "key=…stuv"],
    ["no text that is shorter than such a key", [], key.slice(0, -1), key.slice(0, -1)],
    ["the request's own key", ["Bearer secret-token-1"], "a secret-token-1 b", "a …en-1 b"],
    ["it in any case of the scheme", ["  bEARER   secret-token-1 "], "secret-token-1", "…en-1"],
    ["the credentials of Basic", ["Basic dXNlcjpwYXNzd29yZA=="], "dXNlcjpwYXNzd29yZA==", "…ZA=="],
    ["all of another scheme", ["Token secret-token-1"], "Token secret-token-1", "…en-1"],
    ["it without a scheme", ["plainsecret"], "/v1/plainsecret", "/v1/…"],
    ["it percent-encoded", ["Bearer a/b+c=d/e+f=g"], "a%2Fb%2Bc%3Dd%2fe%2bf%3dg", "…+f=g"],
    ["it escaped in JSON", ["Bearer secret-token-1"], "\\u0073ecret-token-1", "…en-1"],
    [
      "each of several",
      ["Bearer first-secret-1", "Bearer other-secret-2"],
      "first-secret-1other-secret-2",
      "…et-1…et-2",
    ],
    [
      "the longer of two that overlap",
      ["Bearer abcdefgh", "Bearer abcdefgh-ijklmn"],
      "abcdefgh-ijklmn",
      "…klmn",
    ],
    ["nothing that is too short to be found", ["Bearer v1"], "/v1/pets", "/v1/pets"],
    [
      "a key whose signs have a meaning in patterns",
      ["Bearer a.*b$1$&(c"],
      "a.*b$1$&(c axxb",
      "… axxb",
    ],
  ])("hides %s", (_what, authorizations, text, masked) => {
    expect(makeKeyMask(authorizations).mask(text)).toBe(masked);
  });

  it("masks the same key again, and those of many other requests", () => {
    for (let count = 0; count < 250; count += 1) {
      const one = `secret-token-${count}`;
      expect(makeKeyMask([`Bearer ${one}`]).mask(`${one} ${one}`)).not.toContain("secret");
    }
  });
});

describe("cutBefore", () => {
  const own = "secret-token-1";
  const { cutBefore } = makeKeyMask([`Bearer ${own}`]);

  it.each([
    ["at its end", `12345${own}`, 5 + own.length, 5 + own.length],
    ["before its last sign", `12345${own}`, 4 + own.length, 5],
    ["behind its first sign", `12345${own}`, 6, 5],
    ["at its start", `12345${own}`, 5, 5],
    ["within a key of a store", `12345${key}`, 9, 5],
    ["within the second of two", `${own} ${own}`, own.length + 3, own.length + 1],
    ["in ordinary text", "1234567890", 7, 7],
  ])("of a credential that is cut %s", (_where, text, end, expected) => {
    expect(cutBefore(text, end)).toBe(expected);
  });
});
