import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeSecretMask } from "../../src/core/secret-mask.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";
const isBare = (text: string): boolean => !/[0-9A-Za-z+/=_-]/.test(text);

/** Visible ASCII, as keys are. */
const secrets = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 12,
  maxLength: 60,
});

const percentEncode = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
const unicodeEscape = (character: string): string =>
  String.raw`\u00${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** Encodes each character as one of `forms` says, drawn by `draws`. */
function encode(
  secret: string,
  draws: readonly number[],
  forms: readonly ((c: string) => string)[],
) {
  return Array.from(secret, (character, at) => {
    const form = forms[(draws[at] ?? 0) % forms.length];
    return form === undefined ? character : form(character);
  }).join("");
}

describe("makeSecretMask", () => {
  it.each<[string, string, string, string]>([
    ["as it is", "abcdefgh1234", "<abcdefgh1234> abcdefgh1234", "<…1234> …1234"],
    ["with signs of patterns", "a.*b$1$&(c", "a.*b$1$&(c axxb", "… axxb"],
    ["percent-encoded", "a/b+c=d/e+f=g", "a%2Fb%2Bc%3Dd%2fe%2bf%3dg", "…+f=g"],
    [
      "escaped in JSON",
      'ab/cd"efghijk',
      String.raw`{\"k\":\"ab\/cd\"efghijk\"}`,
      String.raw`{\"k\":\"…hijk\"}`,
    ],
    [
      "with a percent sign",
      "100%25abcdef",
      "100%25abcdef 100%2525abcdef 100%abcdef",
      "…cdef …cdef 100%abcdef",
    ],
    ["repeating itself", "$$$$$$$$$$$$$$$$", "$$$$$$$$$$$$$$$$", "…$$$$"],
    ["in another alphabet", "päs-wört-äöüß", "päs-wört-äöüß", "…äöüß"],
  ])("masks one %s", (_how, secret, text, masked) => {
    expect(makeSecretMask([secret])(text)).toBe(masked);
  });

  it("masks the longest of secrets that overlap, and all that any covers", () => {
    const mask = makeSecretMask(["abcdefgh", "abcdefgh-ijklmn", "lmn-opqrstuvw"]);
    expect(mask("abcdefgh-ijklmn")).toBe("…klmn");
    expect(mask("<abcdefgh-ijklmn-opqrstuvw>")).toBe("<…klmn>");
  });

  it("leaves a text alone that has none, and every text without secrets", () => {
    expect(makeSecretMask(["abcdefgh1234"])("abcdefgh123")).toBe("abcdefgh123");
    expect(makeSecretMask([""])("abc%41\\u0041")).toBe("abc%41\\u0041");
    expect(makeSecretMask([])(key)).toBe(key);
  });

  it("hides a secret of any characters in every encoding", () => {
    const parts = fc.string({ maxLength: 20 }).filter(isBare);
    const escapes = [(c: string) => (c === "\\" || c === '"' ? `\\${c}` : c), unicodeEscape];
    const percents = [(c: string) => (c === "%" ? "%25" : c), percentEncode];
    fc.assert(
      fc.property(secrets, fc.array(fc.nat(9)), parts, parts, (secret, draws, before, after) => {
        const mask = makeSecretMask([secret]);
        const inJson = encode(secret, draws, escapes);
        for (const form of [
          secret,
          inJson,
          encode(secret, draws, percents),
          encode(encode(secret, draws, percents), draws.toReversed(), escapes),
        ]) {
          const masked = mask(form);
          expect(masked).toBe(`…${secret.slice(-4)}`);
          expect(mask(`(${form})`)).toBe(`(${masked})`);
        }
        expect(mask(`${before}${secret}${after}`)).not.toContain(secret);
      }),
    );
  });

  it("hides a secret in base64 with any neighbours", () => {
    fc.assert(
      fc.property(
        secrets,
        fc.string(),
        fc.string(),
        fc.boolean(),
        (secret, before, after, isUrl) => {
          const all = Buffer.from(`${before}:${secret}${after}`).toString(
            isUrl ? "base64url" : "base64",
          );
          const masked = makeSecretMask([secret])(all);
          expect(masked).toContain("…");
          // What is left decodes to at most a byte of the secret at either end.
          expect(masked.length).toBeLessThanOrEqual(all.length - secret.length + 5);
        },
      ),
    );
  });

  it("hides the beginning of a secret at which a text is cut", () => {
    fc.assert(
      fc.property(
        secrets,
        fc.integer({ min: 4, max: 59 }),
        fc.array(fc.nat(9)),
        (secret, length, draws) => {
          const mask = makeSecretMask([secret]);
          const start = secret.slice(0, length);
          const escaped = encode(start, draws, [
            (c: string) => (c === "%" ? "%25" : c),
            percentEncode,
          ]);
          expect(mask(`\n${start}`, true)).toBe(`\n…${secret.slice(-4)}`);
          expect(mask(`\n${escaped}`, true)).toBe(`\n…${secret.slice(-4)}`);
        },
      ),
    );
  });

  it("hides a secret that is cut within an escape", () => {
    const mask = makeSecretMask(["abcdef/ghijkl"]);
    for (const text of ["abcdef%", "abcdef%2", "abcdef\\", "abcdef\\u", "abcdef\\u002"])
      expect(mask(text, true)).toBe("…ijkl");
  });

  it("takes linear time", () => {
    const letters = "a".repeat(15_000);
    const mask = makeSecretMask([
      letters,
      `${letters}b`,
      `b${letters}`,
      `${letters.slice(1)}b${letters}`,
    ]);
    // Quadratic time would be some minutes.
    for (const text of [letters.slice(1), `%61\\u0061${"a".repeat(2_000_000)}`]) mask(text, true);
    expect(mask(`<${letters}b>`)).toBe("<…aaab>");
  });
});

describe("makeSecretMask with keys of stores", () => {
  const mask = makeSecretMask([], { hasStoreKeys: true });

  it.each<[string, string, string]>([
    ["one", `key=${key}&`, "key=…stuv&"],
    ["one percent-encoded", `key=${key.replace("_", "%5F")}`, "key=…stuv"],
    ["nothing shorter", key.slice(0, -1), key.slice(0, -1)],
  ])("masks %s", (_what, text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it.each(["", "a", "ab", "user:", "me+:"])("masks one in base64 behind %j", (before) => {
    for (const after of ["", "x", "xy"]) {
      const encoded = Buffer.from(`${before}${key}${after}`).toString("base64");
      const [left = "", right = ""] = mask(encoded).split("…");
      expect(Buffer.from(left, "base64").toString()).not.toContain("pets_");
      expect(left.length + right.length).toBeLessThanOrEqual(encoded.length - 46 + 4);
    }
  });

  it("masks what is there of one at which a text is cut", () => {
    expect(mask(`a ${key.slice(0, 20)}`, true)).toBe("a …");
    expect(mask(`a ${key.slice(0, 20)}`)).toBe(`a ${key.slice(0, 20)}`);
  });
});
