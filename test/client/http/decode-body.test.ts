import zlib from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../../src/client/http/decode-body.ts";

const text = "Grüße, 日本 🐶".repeat(20);
const bytes = Buffer.from(text);

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
  ])("undoes %s", async (_what, names, body) => {
    expect(await decodeBody(body, names, 8192)).toEqual({ text });
  });

  it("undoes what gzip makes of any text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (plain) => {
        const decoded = await decodeBody(zlib.gzipSync(plain), ["gzip"], 8192);
        expect(decoded).toEqual({ text: plain });
      }),
    );
  });

  it.each<[string, readonly string[], Uint8Array]>([
    ["what is not coded so", ["gzip"], bytes],
    ["what is cut short", ["gzip"], zlib.gzipSync(bytes).subarray(0, -9)],
    ["a coding that is not asked for", ["deflate"], zlib.deflateSync(bytes)],
    ["an unknown coding", ["agzip"], zlib.gzipSync(bytes)],
    ["two codings", ["gzip", "gzip"], zlib.gzipSync(zlib.gzipSync(bytes))],
    ["what is not UTF-8", [], Buffer.from("Grüße", "latin1")],
    ["what is not UTF-8 when it is undone", ["gzip"], zlib.gzipSync(Buffer.from([0xff]))],
  ])("can't read %s (%j)", async (_what, names, body) => {
    expect(await decodeBody(body, names, 8192)).toEqual({ fault: "unreadable" });
  });

  it("refuses more than the bound", async () => {
    const body = zlib.gzipSync(Buffer.alloc(1_001, 32));
    expect(await decodeBody(body, ["gzip"], 1_000)).toEqual({ fault: "too_large" });
    expect(await decodeBody(body, ["gzip"], 1_001)).toEqual({ text: " ".repeat(1_001) });
  });

  it.each([[[]], [["gzip"]], [["br", "gzip"]]])(
    "returns nothing for an empty body in %j",
    async (names) => {
      expect(await decodeBody(new Uint8Array(0), names, 1_000)).toEqual({ text: "" });
    },
  );
});
