import zlib from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../../src/client/http/decode-body.ts";

const text = "Grüße, 日本 🐶".repeat(20);
const bytes = Buffer.from(text);
const codings = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
} as const;

describe("decodeBody", () => {
  it.each<[string, readonly string[], Uint8Array]>([
    ["no coding", [], bytes],
    ["gzip", ["gzip"], zlib.gzipSync(bytes)],
    ["its old name", ["x-gzip"], zlib.gzipSync(bytes)],
    [
      "gzip in two members",
      ["gzip"],
      Buffer.concat([zlib.gzipSync("Grüße, "), zlib.gzipSync(bytes.subarray(9))]),
    ],
    ["deflate", ["deflate"], zlib.deflateSync(bytes)],
    ["deflate without its wrapper", ["deflate"], zlib.deflateRawSync(bytes)],
    [
      "deflate whose wrapper names a small window",
      ["deflate"],
      zlib.deflateSync(bytes, { windowBits: 9 }),
    ],
    ["br", ["br"], zlib.brotliCompressSync(bytes)],
  ])("undoes %s", async (_what, names, body) => {
    expect(await decodeBody(body, names, 8192)).toEqual({ text });
  });

  it("undoes up to four codings, the last one first", async () => {
    const names = fc.array(fc.constantFrom(...(["gzip", "x-gzip", "deflate", "br"] as const)), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(names, fc.string({ unit: "grapheme" }), async (applied, plain) => {
        const body = applied.reduce<Uint8Array>(
          (sofar, name) => codings[name](sofar),
          Buffer.from(plain),
        );
        expect(await decodeBody(body, applied, 8192)).toEqual({ text: plain });
      }),
    );
  });

  it.each<[string, readonly string[], Uint8Array]>([
    ["what is not coded so", ["gzip"], bytes],
    ["what is cut short", ["gzip"], zlib.gzipSync(bytes).subarray(0, -9)],
    ["what is cut short", ["deflate"], zlib.deflateSync(bytes).subarray(0, -9)],
    ["what is cut short", ["br"], zlib.brotliCompressSync(bytes).subarray(0, -9)],
    ["an unknown coding", ["zstd"], bytes],
    ["a fifth coding", ["gzip", "gzip", "gzip", "gzip", "gzip"], Buffer.alloc(0)],
    ["codings in another order", ["gzip", "deflate"], zlib.gzipSync(zlib.deflateSync(bytes))],
    ["what is not UTF-8", [], Buffer.from("Grüße", "latin1")],
    ["what is not UTF-8 when it is undone", ["gzip"], zlib.gzipSync(Buffer.from([0xff]))],
  ])("can't read %s (%j)", async (_what, names, body) => {
    expect(await decodeBody(body, names, 8192)).toEqual({ fault: "unreadable" });
  });

  it.each([["gzip"], ["deflate"], ["br"]] as const)(
    "refuses more than the bound in %s",
    async (name) => {
      const body = codings[name](Buffer.alloc(1_001, 32));
      expect(await decodeBody(body, [name], 1_000)).toEqual({ fault: "too_large" });
      expect(await decodeBody(body, [name], 1_001)).toEqual({ text: " ".repeat(1_001) });
    },
  );

  it.each([[[]], [["gzip"]], [["br", "gzip"]], [["unknown"]]])(
    "returns nothing for an empty body in %j",
    async (names) => {
      expect(await decodeBody(new Uint8Array(0), names, 1_000)).toEqual({ text: "" });
    },
  );
});
