import { describe, expect, it } from "vitest";
import { addTo, compared, reported, sumOf } from "../../../src/server/judge/counts.ts";

const long = "x".repeat(200);

describe("counts", () => {
  const hundred = new Map(Array.from({ length: 100 }, (_, n) => [`n${n}`, 1]));

  it("are of 100 different texts, and of all others together", () => {
    const counts = new Map(hundred);
    for (const text of ["n0", "more", "others", "n0"]) addTo(counts, text);
    expect(counts.size).toBe(101);
    expect(counts).toEqual(new Map([...hundred, ["n0", 3], ["…", 2]]));
  });

  it("are added up within the same bound", () => {
    const many = { ...Object.fromEntries(hundred), "…": 5 };
    expect(sumOf({ "200": 1, "404": 2 }, { "200": 3 })).toEqual({ "200": 4, "404": 2 });
    expect(sumOf(many, { n0: 1, a: 2, b: 3, "…": 4 })).toEqual({ ...many, n0: 2, "…": 14 });
  });

  it("may be of any text", () => {
    const one = new Map<string, number>();
    addTo(one, "__proto__");
    const counts = Object.fromEntries(one);
    expect(JSON.stringify(sumOf(counts, counts))).toBe('{"__proto__":2}');
  });
});

describe("a text of a client", () => {
  it.each([
    ["as it is", "/pets/ü", "/pets/ü"],
    ["without the key of a store", `/pets_${"a1".repeat(16)}`, "/…a1a1"],
    ["cut off", `${long}y`, `${"x".repeat(199)}…`],
  ])("is reported %s", (_what, text, shown) => {
    expect(reported(text)).toBe(shown);
    expect(reported(compared(text))).toBe(shown);
  });

  it("is compared exactly, however long it is", () => {
    expect(compared(long)).toBe(long);
    const longer = `${long}${long}`;
    expect(compared(`${longer}a`)).toBe(compared(`${longer}a`));
    expect(compared(`${longer}a`)).not.toBe(compared(`${longer}b`));
    expect(compared("x".repeat(70_000)).length).toBeLessThan(250);
  });
});
