import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeSecretMask } from "../../src/core/secrets.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";

/** Visible ASCII, as keys are. */
const secrets = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 12,
  maxLength: 60,
});

/** The ways in which a key is written. */
const writers: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => JSON.stringify(secret).slice(1, -1),
  encodeURIComponent,
  encodeURI,
  (secret) => new URLSearchParams([["", secret]]).toString().slice(1),
];

describe("makeSecretMask", () => {
  it.each<[string, string, string, string]>([
    ["as it is", "abcdefgh1234", "<abcdefgh1234> abcdefgh1234", "<…1234> …1234"],
    ["with signs of patterns", "a.*b$1$&(c", "a.*b$1$&(c axxb", "… axxb"],
    ["percent-encoded", "a/b+c=d/e+f=g", "a%2Fb%2Bc%3Dd%2Fe%2Bf%3Dg", "…+f=g"],
    ["with all its signs encoded", "a-b_c~d.e-f_g", "a%2Db%5Fc%7Ed%2Ee%2Df%5Fg", "…-f_g"],
    ["with its slash left alone", "a/b+c=d/e!f=g", "a/b%2Bc%3Dd/e%21f%3Dg", "…!f=g"],
    ["in lower case", "a/b+c=d/e+f=g", "a%2fb%2bc%3dd%2fe%2bf%3dg", "…+f=g"],
    ["escaped in JSON", 'ab/cd"efghijk', String.raw`{"k":"ab/cd\"efghijk"}`, '{"k":"…hijk"}'],
    ["with its slashes too", 'a/cd"efghijk', String.raw`a\/cd\"efghijk`, "…hijk"],
    ["with a percent sign", "100%25abcdef", "100%25abcdef 100%2525abcdef", "…cdef …cdef"],
    ["repeating itself", "$$$$$$$$$$$$$$$$", "$$$$$$$$$$$$$$$$", "…$$$$"],
    ["in another alphabet", "päs-wört-äöüß", "päs-wört-äöüß", "…äöüß"],
    ["that a longer one contains", "abcdefghijkl", "abcdefghijkl", "…ijkl"],
  ])("masks one %s", (_how, secret, text, masked) => {
    expect(makeSecretMask([secret, `${secret}-and-more`])(text)).toBe(masked);
  });

  it("masks the longer of two secrets that begin alike", () => {
    const mask = makeSecretMask(["abcdefgh", "abcdefgh-ijklmn"]);
    expect(mask("abcdefgh-ijklmn abcdefgh")).toBe("…klmn …");
  });

  it("masks the beginning of a secret that a message cut with an ellipsis", () => {
    expect(makeSecretMask(["abcdefgh1234"])('"abcdefg…" abcdefg')).toBe('"…1234…" abcdefg');
  });

  it("leaves a text alone that has none, and every text without secrets", () => {
    expect(makeSecretMask(["abcdefgh1234"])("abcdefgh123")).toBe("abcdefgh123");
    expect(makeSecretMask([""])("abc%41\\u0041")).toBe("abc%41\\u0041");
    expect(makeSecretMask([])(key)).toBe(key);
  });

  it("hides any secret wherever it stands, however it is written", () => {
    fc.assert(
      fc.property(
        secrets,
        fc.constantFrom(...writers),
        fc.string(),
        fc.string(),
        (secret, write, before, after) => {
          const form = write(secret);
          expect(makeSecretMask([secret])(form)).toBe(`…${secret.slice(-4)}`);
          expect(makeSecretMask([secret])(`${before}${form}${after}`)).not.toContain(form);
        },
      ),
    );
  });

  it("hides one that repeats its own beginning where it is cut", () => {
    expect(makeSecretMask([`%"!!!!%"!!!!!!`])("%25%22!!!!%25%", true)).toBe("…!!!!…!!!!");
    expect(makeSecretMask(["!!!!!!!!!!!!"])("!!!!!!!!!!!!", true)).toBe("……!!!!");
  });

  it("hides the beginning of a secret at which a text is cut", () => {
    fc.assert(
      fc.property(
        secrets,
        fc.integer({ min: 4, max: 59 }),
        fc.constantFrom(...writers),
        (secret, length, write) => {
          const start = write(secret).slice(0, length);
          const masked = makeSecretMask([secret])(`\n${start}`, true);
          // One that repeats its own beginning may be masked twice.
          expect(masked.replaceAll(secret.slice(-4), "")).toMatch(/^\n…+$/);
        },
      ),
    );
  });
});

describe("makeSecretMask with keys of stores", () => {
  const mask = makeSecretMask([], { hasStoreKeys: true });

  it.each<[string, string, string, boolean]>([
    ["one", `key=${key}&`, "key=…stuv&", false],
    ["one percent-encoded", `key=${key.replace("_", "%5f")}`, "key=…stuv", false],
    ["nothing shorter", key.slice(0, -1), key.slice(0, -1), false],
    ["what is there of one at which a text is cut", `a ${key.slice(0, 20)}`, "a …", true],
  ])("masks %s", (_what, text, masked, isCut) => {
    expect(mask(text, isCut)).toBe(masked);
  });
});
