import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePack, encodePack } from "../../src/start/code-pack.ts";

const anyPack = fc.record({
  code: fc
    .array(fc.tuple(fc.stringMatching(/^[a-z-]{1,8}\.js$/), fc.uint8Array({ maxLength: 50 })))
    .map((entries) => new Map(entries)),
  runs: fc.nat(9),
});
const anyTime = fc.nat();

describe("a pack of compiled code", () => {
  it("comes out of its bytes as it went in, where their file bears its time", () => {
    fc.assert(
      fc.property(anyPack, anyTime, (pack, at) => {
        const bytes = Buffer.from(encodePack(pack, at));
        const { code, runs } = decodePack(bytes, at) ?? {};
        expect(runs).toBe(pack.runs);
        const found = [...(code ?? [])].map(([name, data]) => [name, Uint8Array.from(data)]);
        expect(found).toEqual([...pack.code]);
        expect(decodePack(bytes, at + 0.25)).toBeUndefined();
      }),
    );
  });

  it("is none where anything is missing, or something follows", () => {
    fc.assert(
      fc.property(anyPack, anyTime, fc.nat(), (pack, at, place) => {
        const bytes = Buffer.from(encodePack(pack, at));
        expect(decodePack(bytes.subarray(0, place % bytes.length), at)).toBeUndefined();
        expect(decodePack(Buffer.concat([bytes, Buffer.alloc(1)]), at)).toBeUndefined();
      }),
    );
  });

  it("is none where zeros stand at its end, as after a power cut", () => {
    fc.assert(
      fc.property(anyPack, anyTime, fc.nat(), (pack, at, place) => {
        const bytes = Buffer.from(encodePack(pack, at));
        expect(decodePack(bytes.fill(0, place % (bytes.length - 4)), at)).toBeUndefined();
      }),
    );
  });

  it.each([0, 1, 8, 4096])("is none in %i zeros", (length) => {
    expect(decodePack(Buffer.alloc(length), 0)).toBeUndefined();
  });
});
