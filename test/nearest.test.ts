import { describe, expect, it } from "vitest";
import { nearest } from "../src/nearest.ts";

describe("nearest", () => {
  it.each([
    ["avaliable", "available"],
    ["SOLD", "sold"],
    ["pend", "pending"],
    ["", "sold"],
    ["x".repeat(100_000), "available"],
  ])("of %.20s is %s", (word, candidate) => {
    expect(nearest(word, ["available", "pending", "sold"])).toBe(candidate);
  });

  it("of nothing is nothing", () => {
    expect(nearest("x", [])).toBe("");
  });
});
