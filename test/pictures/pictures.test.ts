import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** Returns the pictures that a document shows with an alternative text. */
const shownIn = (file: string): readonly (string | undefined)[] =>
  [...read(file).matchAll(/!\[[^\]]{40,}\]\(([^)]*)\)/g)].map(([, picture]) => picture);

describe("import.svg", () => {
  const svg = read("test/pictures/import.svg");
  const texts = [...svg.matchAll(/<text[^>]*>([^]*?)<\/text>/g)].map(([, text = ""]) =>
    text.replaceAll(/<[^>]*>/g, ""),
  );

  it("is small, needs nothing else, and is shown in the README", () => {
    expect(svg.length).toBeLessThan(16_000);
    expect(svg).not.toMatch(/<(?:script|image|a|use|foreignObject)\b|url\(|@import/);
    expect(svg.replace(' xmlns="http://www.w3.org/2000/svg"', "")).not.toContain("://");
    expect(shownIn("README.md")).toEqual(["test/pictures/import.svg"]);
  });

  it("shows bars, a wait and the end of a run", () => {
    expect(texts[0]).toBe("$ pets add --from shelter.csv");
    expect(texts.filter((text) => /^\[#*-*\] \d+\/34 · /.test(text)).length).toBeGreaterThan(5);
    expect(texts.filter((text) => / · next \d+ in \d+ s/.test(text)).length).toBeGreaterThan(2);
    expect(texts).toContainEqual(expect.stringMatching(/^Added 34 of 34 animals in /));
  });
});

describe("the picture of the page", () => {
  it("is small, and shown in the topic `store`", () => {
    expect(shownIn("src/help/topics/store.md")).toEqual([
      "../../../test/pictures/page-request.png",
    ]);
    expect(statSync(path.join(root, "test/pictures/page-request.png")).size).toBeLessThan(200_000);
  });
});
