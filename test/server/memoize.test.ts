import { describe, expect, it } from "vitest";
import { memoize } from "../../src/server/memoize.ts";

/** A memoized function, and the texts that it was really called with. */
function counted() {
  const made: string[] = [];
  const length = memoize((text) => {
    made.push(text);
    return { length: text.length };
  });
  return { made, length };
}

describe("memoize", () => {
  it("returns the same for the same text, made once", () => {
    const { made, length } = counted();
    const first = length("four");
    expect(length("four")).toBe(first);
    expect(length("five!")).toEqual({ length: 5 });
    expect(made).toEqual(["four", "five!"]);
  });

  it("makes anew what is undefined, or was thrown", () => {
    let calls = 0;
    const fails = memoize((text) => {
      calls += 1;
      if (text === "throws") throw new RangeError(text);
    });
    for (const text of ["throws", "throws"]) expect(() => fails(text)).toThrow(RangeError);
    expect([fails("nothing"), fails("nothing")]).toEqual([undefined, undefined]);
    expect(calls).toBe(4);
  });

  it("keeps neither a long text nor more than a thousand", () => {
    const { made, length } = counted();
    for (const text of ["x".repeat(1_001), "x".repeat(1_001)]) length(text);
    expect(made).toHaveLength(2);
    for (let count = 0; count <= 1_000; count += 1) length(`${count}`);
    length("1000");
    expect(made).toHaveLength(1_003);
    length("0");
    expect(made).toHaveLength(1_004);
  });
});
