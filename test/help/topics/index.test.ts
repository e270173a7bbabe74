import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { faultKinds, inputFormats, outputFormatNames, planNames } from "../../../src/core/enums.ts";
import { petFieldNames } from "../../../src/core/pet-fields.ts";
import { facts } from "../../../src/help/facts.ts";
import { topics, topicText } from "../../../src/help/topics/index.ts";
import { topicNames } from "../../../src/help/topics/names.ts";
import { resultFields } from "../../../src/imports/input/columns.ts";

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
      const isCode = (line: string) => columns <= 80 && topics[name].includes(line.trim());
      expect(wide.filter((line) => !isCode(line))).toEqual([]);
    });

    it("has no Markdown in it", () => {
      expect(topicText(name)).not.toMatch(/\*\*|\]\(|^#|^\||```|\\\|/m);
    });
  });
});

it.each(Object.entries(facts))("%s stand in a topic, once", (_name, meanings) => {
  const texts = topicNames.map((name) => topicText(name, 80).replaceAll(/\s+/g, " "));
  const wrong = Object.entries(meanings).filter(
    ([name, meaning]) => texts.join().split(` ${name} ${meaning}`).length !== 2,
  );
  expect(wrong).toEqual([]);
});

it("the topic environment has every variable of the program, and of the standards that it follows", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" });
  const code = files
    .filter((name) => name.endsWith(".ts") && !name.startsWith("build"))
    .map((name) => readFileSync(path.join(src, name), "utf8"));
  const read = code.join("\n").match(/\b(?:PETS|PG|XDG)_?[A-Z][A-Z_]*[A-Z]\b/g) ?? [];
  const built = new Set(["PETS_VERSION", "PETS_HELP"]);
  const missing = read.filter((one) => !built.has(one) && !topics.environment.includes(one));
  expect([...new Set(missing)]).toEqual([]);
});

it.each<[keyof typeof topics, readonly string[]]>([
  ["environment", outputFormatNames],
  ["output", outputFormatNames],
  ["output", petFieldNames],
  ["import", inputFormats],
  ["import", resultFields],
  ["store", planNames],
  ["faults", faultKinds],
])("the topic %s names each of %j", (topic, names) => {
  const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`, "i").test(topics[topic]));
  expect(missing).toEqual([]);
});
