import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeSecretMask, Secrets } from "../../src/core/secrets.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";

/** Visible ASCII, as keys are. */
const keys = fc.string({
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
  (secret) => JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
  (secret) =>
    secret.replace(/[^a-z]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
];

describe("makeSecretMask", () => {
  it.each<[string, string, string, string]>([
    ["as it is", "abcdefgh1234", "<abcdefgh1234> abcdefgh1234", "<…1234> …1234"],
    ["with signs of patterns", "a.*b$1$&(c", "a.*b$1$&(c axxb", "… axxb"],
    ["percent-encoded", "a/b+c=d/e+f=g", "a%2Fb%2Bc%3Dd%2Fe%2Bf%3Dg", "…+f=g"],
    ["with all its signs encoded", "a-b_c~d.e-f_g", "a%2Db%5Fc%7Ed%2Ee%2Df%5Fg", "…-f_g"],
    ["in lower case", "a/b+c=d/e+f=g", "a%2fb%2bc%3dd%2fe%2bf%3dg", "…+f=g"],
    ["in HTML", `a/b+c=d&e'f<g"h`, "a/b+c&#x3D;d&amp;e&#39;f&lt;g&quot;h", `…<g"h`],
    ["in JSON in JSON", `a/b+c=d"e'fg`, String.raw`a\\/b\\u002Bc=d\\\"e'fg`, `…e'fg`],
    ["percent-encoded twice", "a/b+c=d/e+f=g", "a%252Fb%252Bc%253Dd%252Fe%252Bf%253Dg", "…+f=g"],
    ["with some of its signs encoded", "a!b-c~d/e+f_g", "a%21b-c%7Ed/e+f_g", "…+f_g"],
    [
      "escaped in JSON as .NET does",
      "a/b+c=d&e'f<g",
      String.raw`a/b\u002Bc\u003Dd\u0026e\u0027f\u003cg`,
      "…'f<g",
    ],
    ["escaped in JSON as PHP does", "a/b/c=d/e/f/g", String.raw`a\/b\/c=d\/e\/f\/g`, "…/f/g"],
    ["escaped in JSON", 'ab/cd"efghijk', String.raw`{"k":"ab/cd\"efghijk"}`, '{"k":"…hijk"}'],
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

  it("leaves a text alone that has none, and every text without secrets", () => {
    expect(makeSecretMask(["abcdefgh1234"])("abcdefgh123")).toBe("abcdefgh123");
    expect(makeSecretMask([""])("abc%41\\u0041")).toBe("abc%41\\u0041");
    expect(makeSecretMask([])(key)).toBe(key);
  });

  it("hides any secret wherever it stands, however it is written", () => {
    fc.assert(
      fc.property(
        keys,
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
    expect(makeSecretMask([`%"!!!!%"!!!!!!`])("%25%22!!!!%25%", true)).toBe("…!!!!");
    expect(makeSecretMask(["!!!!!!!!!!!!"])("!!!!!!!!!!!!", true)).toBe("…!!!!");
  });

  it("hides the beginning of a secret at which a text is cut", () => {
    fc.assert(
      fc.property(
        keys,
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

describe("Secrets", () => {
  const long = "long-key-0123456789";
  const short = "k3y-5678";
  const known = (words: readonly string[] = []) => {
    const secrets = new Secrets(words);
    secrets.add(long, short, "abc", "", undefined);
    return secrets;
  };
  const text = `${long} ${short} abc`;

  it("masks a value where a secret is unmistakable, and what a service says where it is hardly a word", () => {
    expect(known().inValue(text)).toBe(`…6789 ${short} abc`);
    expect(known().inReply(text)).toBe("…6789 … abc");
  });

  it("masks in a message what is unmistakable, or was typed, passwords of URLs and keys of stores", () => {
    expect(known().inMessage(text)).toBe(`…6789 ${short} abc`);
    expect(known(["--name", `x${short}`]).inMessage(text)).toBe("…6789 … abc");
    expect(known().inMessage(`redis://u:pw@host ${key}`)).toBe("redis://…@host …stuv");
  });

  it("masks the texts of a record, however deep, and nothing else", () => {
    const record = { name: long, categoryId: 1n, list: [{ text }], none: null, when: undefined };
    const list = [{ text: `…6789 ${short} abc` }];
    const shown = { name: "…6789", categoryId: 1n, list, none: null, when: undefined };
    expect(known().inRecord(record)).toEqual(shown);
  });

  it("masks what it learns later", () => {
    const secrets = known();
    expect(secrets.inValue("another-key-1234")).toBe("another-key-1234");
    secrets.add("another-key-1234");
    expect(secrets.inValue("another-key-1234")).toBe("…1234");
  });

  it("asks for others when it has to mask the first text", () => {
    let asked = 0;
    const late = known();
    late.addLater(() => [`other-key-${(asked += 1)}-0123`]);
    expect(asked).toBe(0);
    expect(late.inValue("other-key-1-0123")).toBe("…0123");
    expect(late.inValue("other-key-1-0123")).toBe("…0123");
    expect(asked).toBe(1);
  });
});
