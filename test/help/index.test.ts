import { describe, expect, it } from "vitest";
import { topicNames, topicText } from "../../src/help/index.ts";

describe("topicText", () => {
  it.each(topicNames)("fits the topic %s into 80 columns", (name) => {
    const widest = (columns: number) =>
      Math.max(...(topicText(name, columns) ?? "").split("\n").map((line) => line.length));
    expect(widest(80)).toBeLessThanOrEqual(80);
    expect(widest(1_000)).toBeLessThanOrEqual(80);
  });

  it.each(["", "nosuch", "toString", "__proto__"])("has no topic %j", (name) => {
    expect(topicText(name)).toBeUndefined();
  });
});
