import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identityDraws, type RequestIdentity } from "../../../src/server/lab/faults.ts";

const post = {
  method: "POST",
  target: "/v1/pets",
  body: Buffer.from('{"name":"Rex","categoryId":1}'),
  key: 0,
} as const;

const anyIdentity: fc.Arbitrary<RequestIdentity> = fc.record({
  method: fc.constantFrom("GET", "POST"),
  target: fc.constantFrom("/v1/pets", "/v1/pets?limit=1", "/v1/pets/1"),
  body: fc.constantFrom(undefined, Buffer.from(""), Buffer.from("{}")),
  key: fc.constantFrom(0, 1),
  header: fc.constantFrom(undefined, "500" as const),
});
const anySeed = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe("identityDraws", () => {
  it("gives a request the same numbers whatever other requests come between", () => {
    fc.assert(
      fc.property(anySeed, fc.array(anyIdentity), (seed, others) => {
        const mine = { ...post, target: "/v1/mine" };
        const source = identityDraws(seed);
        const alone = [source.next(mine), source.next(mine)];
        source.reset();
        const first = source.next(mine);
        for (const other of others) source.next(other);
        expect([first, source.next(mine)]).toEqual(alone);
      }),
    );
  });

  it.each([
    ["method", { ...post, method: "PUT" }],
    ["path", { ...post, target: "/v1/pets/" }],
    ["query", { ...post, target: "/v1/pets?" }],
    ["body", { ...post, body: Buffer.from('{"name":"Rex","categoryId":2}') }],
    ["missing body", { ...post, body: undefined }],
    ["key", { ...post, key: 1 }],
    ["header", { ...post, header: "500" as const }],
  ])("gives a request with a different %s different numbers", (_what, other) => {
    expect(identityDraws(1).next(other)).not.toEqual(identityDraws(1).next(post));
  });

  it("gives the next equal request, and a different seed, different numbers", () => {
    const source = identityDraws(1);
    const first = source.next(post);
    expect(source.next(post)).not.toEqual(first);
    expect(identityDraws(2).next(post)).not.toEqual(first);
    source.reset();
    expect(source.next(post)).toEqual(first);
  });

  it("draws from 0 up to 1, evenly", () => {
    const source = identityDraws(7);
    const draws = Array.from({ length: 2_000 }, () => source.next(post));
    for (const name of ["fault", "moment", "cut", "latency"] as const) {
      const numbers = draws.map((draw) => draw[name]);
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...numbers)).toBeLessThan(1);
      const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
      expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
    }
  });
});
