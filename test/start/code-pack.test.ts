import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePack, encodePack } from "../../src/start/code-pack.ts";

const anyPack = fc.record({
  code: fc
    .array(fc.tuple(fc.stringMatching(/^[a-z-]{1,8}\.js$/), fc.uint8Array({ maxLength: 50 })))
    .map((entries) => new Map(entries)),
  runs: fc.nat(9),
});

describe("a pack of compiled code", () => {
  it("comes out of its bytes as it went in", () => {
    fc.assert(
      fc.property(anyPack, (pack) => {
        const { code, runs } = decodePack(encodePack(pack)) ?? {};
        expect(runs).toBe(pack.runs);
        const bytes = [...(code ?? [])].map(([name, data]) => [name, Uint8Array.from(data)]);
        expect(bytes).toEqual([...pack.code]);
      }),
    );
  });

  it("is none where any bit has changed, or anything is missing", () => {
    fc.assert(
      fc.property(anyPack, fc.nat(), fc.integer({ min: 0, max: 7 }), (pack, place, bit) => {
        const bytes = encodePack(pack);
        const at = place % bytes.length;
        expect(decodePack(bytes.subarray(0, at))).toBeUndefined();
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect(decodePack(bytes)).toBeUndefined();
      }),
    );
  });

  it.each([0, 1, 8, 4096])("is none in %i zeros", (length) => {
    expect(decodePack(new Uint8Array(length))).toBeUndefined();
  });

  it("is none where there is nothing", () => {
    expect(decodePack(undefined)).toBeUndefined();
  });
});
