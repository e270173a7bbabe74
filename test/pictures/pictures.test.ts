import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ptyAvailable } from "../support/program/pty.ts";
import { recordStill } from "./record.ts";
import { importing, type Picture, stills } from "./scenes.ts";
import { stillSvg } from "./svg.ts";
import { contentOf, elementsOf, parseXml } from "./xml.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = ({ file }: Picture): string =>
  readFileSync(path.join(import.meta.dirname, file), "utf8");

describe.each([...stills, importing])("$file", (picture) => {
  it("is a small, self-contained picture", () => {
    const source = read(picture);
    const svg = parseXml(source);
    expect(source.length).toBeLessThan(16_000);
    expect(svg.name).toBe("svg");
    expect(elementsOf(svg, "title").map(contentOf)).toEqual([picture.title]);
    for (const name of ["script", "image", "a", "use", "foreignObject"])
      expect(elementsOf(svg, name)).toEqual([]);
    expect(source.replace(' xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /:\/\/|url\(|@import/,
    );
  });

  it("is shown in the README, with an alternative text", () => {
    const readme = readFileSync(path.join(root, "README.md"), "utf8");
    expect(readme).toMatch(new RegExp(`!\\[[^\\]]{40,}\\]\\(test/pictures/${picture.file}\\)`));
  });
});

describe("the picture of the page", () => {
  it("is shown in the topic `store`, with a text in its place, and is small", () => {
    const topic = readFileSync(path.join(root, "src/help/topics/store.md"), "utf8");
    const images = [...topic.matchAll(/!\[[^\]]{40,}\]\(([^)]*\.png)\)/g)].map(([, file]) => file);
    expect(images).toEqual(["../../../test/pictures/page-request.png"]);
    const { size } = statSync(path.join(import.meta.dirname, "page-request.png"));
    expect(size).toBeLessThan(200_000);
  });
});

describe.runIf(ptyAvailable)("on a terminal (which needs util-linux's script)", () => {
  it.each(stills)("prints what $file shows; if not, run: npm run pictures", async (picture) => {
    const { lines } = await recordStill(picture.scene);
    expect(read(picture)).toBe(stillSvg(lines, picture.scene.columns, picture));
  });
});

describe("import.svg", () => {
  it("shows bars, a wait and the end of a run", () => {
    const texts = elementsOf(parseXml(read(importing)), "text").map(contentOf);
    expect(texts[0]).toBe("$ pets add --from shelter.csv");
    expect(texts).toContainEqual(
      expect.stringMatching(/^\d+ of \d+ requests left; resets at .* 33 animals take /),
    );
    expect(texts.filter((text) => /^\[#*-*\] \d+\/34 · /.test(text)).length).toBeGreaterThan(5);
    expect(texts.filter((text) => / · next \d+ in \d+ s/.test(text)).length).toBeGreaterThan(2);
    expect(texts).toContainEqual(expect.stringMatching(/^Added 34 of 34 animals in /));
  });
});
