import { array, assert, property, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { GrowableBuffer } from "../../../src/client/http/exchange.ts";

describe("GrowableBuffer", () => {
  it("returns all chunks in order", () => {
    assert(
      property(array(uint8Array({ maxLength: 3000 })), (parts) => {
        const buffer = new GrowableBuffer();
        for (const part of parts) buffer.add(part);
        expect(Buffer.from(buffer.bytes).equals(Buffer.concat(parts))).toBe(true);
        expect(buffer.size).toBe(buffer.bytes.length);
      }),
    );
  });

  it("takes little more memory than its bytes, however small the chunks", () => {
    const buffer = new GrowableBuffer();
    for (let i = 0; i < 100_000; i += 1) buffer.add(Uint8Array.of(i));
    expect(buffer.bytes.buffer.byteLength).toBeLessThan(200_000);
  });
});
