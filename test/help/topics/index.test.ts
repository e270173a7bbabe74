import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { topics, topicText } from "../../../src/help/topics/index.ts";
import { topicNames } from "../../../src/help/topics/names.ts";

const src = path.resolve(import.meta.dirname, "../../../src");

describe("topicText", () => {
  it("has a file for each topic, and a topic for each file", () => {
    const files = readdirSync(`${src}/help/topics`).filter((name) => name.endsWith(".md"));
    expect(files.sort()).toEqual(topicNames.map((name) => `${name}.md`).toSorted());
  });

  describe.each(topicNames)("of %s", (name) => {
    it.each([100, 60, 40])("fits into %i columns", (columns) => {
      const lines = topicText(name, columns).split("\n");
      expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/^[A-Z ]+$/), ""]);
      const wide = lines.filter(
        (line) => line.length > Math.min(columns, 80) && /\S \S/.test(line),
      );
      // Code is not wrapped.
      expect(wide.filter((line) => columns > 80 || !topics[name].includes(line.trim()))).toEqual(
        [],
      );
    });

    it("has no Markdown in it", () => {
      expect(topicText(name)).not.toMatch(/\*\*|\]\(|^#|^\||```|\\\|/m);
    });
  });
});

describe("the topic environment", () => {
  it("has every variable of the program, and of the standards that it follows", () => {
    const files = readdirSync(src, { recursive: true, encoding: "utf8" });
    const code = files
      .filter((name) => name.endsWith(".ts") && !name.startsWith("build"))
      .map((name) => readFileSync(path.join(src, name), "utf8"));
    const read = code.flatMap((text) =>
      [...text.matchAll(/\b(?:PETS|PG|XDG)_?[A-Z][A-Z_]*[A-Z]\b/g)].map(([variable]) => variable),
    );
    const built = new Set(["PETS_VERSION", "PETS_HELP"]);
    const missing = read.filter((one) => !built.has(one) && !topics.environment.includes(one));
    expect([...new Set(missing)]).toEqual([]);
  });
});
