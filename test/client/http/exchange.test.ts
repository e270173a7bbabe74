import { array, assert, property, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { GrowableBuffer } from "../../../src/client/http/exchange.ts";

describe("Gathered", () => {
  it("answers all parts in their order", () => {
    assert(
      property(array(uint8Array({ maxLength: 3000 })), (parts) => {
        const gathered = new GrowableBuffer();
        for (const part of parts) gathered.add(part);
        expect(Buffer.from(gathered.bytes).equals(Buffer.concat(parts))).toBe(true);
        expect(gathered.size).toBe(gathered.bytes.length);
      }),
    );
  });

  it("takes little more room than the bytes need, however small the parts are", () => {
    const gathered = new GrowableBuffer();
    for (let i = 0; i < 100_000; i += 1) gathered.add(Uint8Array.of(i));
    expect(gathered.bytes.buffer.byteLength).toBeLessThan(200_000);
  });
});
