import { describe, expect, it } from "vitest";
import { requestMasks } from "../../src/server/secrets.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";
const own = "ci-secret-key-1";
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("requestMasks", () => {
  const { maskOf } = requestMasks([own]);

  it.each<[string, readonly string[], string, string]>([
    ["a key of any store, in any request", [], `key=${key}`, "key=…stuv"],
    ["an issued key, in any request", [], `key=${own}`, "key=…ey-1"],
    ["the request's own key", ["Authorization", "Bearer secret-1"], "a secret-1 b", "a … b"],
    ["it in any case", ["AUTHORIZATION", "  bEARER   secret-1 "], "secret-1", "…"],
    ["it behind another scheme", ["authorization", "Token secret-1"], "Token secret-1", "Token …"],
    ["it without a scheme", ["Authorization", "plainsecret"], "/v1/plainsecret", "/v1/…"],
    ["it in X-Api-Key", ["X-Api-Key", "plainsecret"], "/v1/plainsecret", "/v1/…"],
    ["it for a proxy", ["Proxy-Authorization", "Bearer plainsecret"], "plainsecret", "…"],
    ["Basic", ["Authorization", `Basic ${base64("me:password")}`], base64("me:password"), "…cmQ="],
    ["its password", ["Authorization", `basic ${base64("me:pass:word")}`], "pass:word", "…"],
    ["nothing that is too short", ["Authorization", "Bearer v1"], "/v1/pets", "/v1/pets"],
    ["nothing of other headers", ["X-Name", "Rex the dog"], "Rex the dog", "Rex the dog"],
  ])("hide %s", (_what, headers, text, masked) => {
    expect(maskOf(headers)(text)).toBe(masked);
  });

  it("hide several credentials, and few of very many", () => {
    const many = Array.from({ length: 600 }, (_, at) => [
      "Authorization",
      `secret-${at + 100}`,
    ]).flat();
    const mask = maskOf(many);
    expect(mask("secret-100 secret-107")).toBe("… …");
    expect(mask("secret-699")).toBe("secret-699");
  });
});
