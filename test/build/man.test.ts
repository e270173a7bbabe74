import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { manPage, releaseDate } from "../../src/build/man.ts";
import { createProgram } from "../../src/commands/index.ts";
import { topicText } from "../../src/help/topics/index.ts";
import { topicNames } from "../../src/help/topics/names.ts";
import { commandTree, wordsOf } from "../../src/help/tree.ts";
import { hasProgram } from "../support/program/has-program.ts";

const root = path.resolve(import.meta.dirname, "../..");
const file = path.join(root, "dist/pets.1");
const pets = createProgram("1.2.3");
const facts = { version: "1.2.3", date: "2026-11-21" };

describe("pets(1)", () => {
  it("is in the package, as the build made it from the same commands", async () => {
    const json = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    // npm links a man page only if it is in a list.
    expect(json.man).toEqual([`./${path.relative(root, file)}`]);
    const built = readFileSync(file, "utf8");
    const date = /^\.TH PETS 1 "(.*?)"/m.exec(built)?.[1];
    expect(built).toBe(await manPage(pets, { ...facts, version: json.version, date }));
  });

  it.skipIf(!hasProgram("mandoc"))("is free of mandoc's warnings", async () => {
    const input = await manPage(pets, facts);
    const run = spawnSync("mandoc", ["-T", "lint", "-W", "warning"], { input, encoding: "utf8" });
    expect(run).toMatchObject({ stdout: "", stderr: "", status: 0 });
  });
});

describe.skipIf(!hasProgram("man"))("man -l dist/pets.1", () => {
  const env = { ...process.env, MANWIDTH: "80", LC_ALL: "C.UTF-8", MANPAGER: "cat" };
  const text = execFileSync("man", ["-l", file], { env, encoding: "utf8", stdio: "pipe" });
  const shown = text.replaceAll(/.\x08/gu, "");

  it("fits 80 columns, but for commands of up to 80, and breaks no word", () => {
    const wide = shown.split("\n").filter((line) => line.length > 80);
    expect(wide.filter((line) => line.trim().length > 80)).toEqual([]);
    expect(shown).not.toContain("‐");
  });

  it.each(commandTree(pets).map((command) => [wordsOf(command), command] as const))(
    "shows the options of %s",
    (_words, command) => {
      const options = command.options.filter(({ hidden }) => !hidden);
      const missing = options.filter(
        ({ long }) => !new RegExp(`^ +(?:-\\w, )?${long}\\b`, "m").test(shown),
      );
      expect(missing).toEqual([]);
    },
  );

  it.each(topicNames)("has the topic %s", (name) => {
    const missing = topicText(name, 70)
      .split("\n")
      .filter((line) => !shown.includes(line));
    expect(missing).toEqual([]);
  });
});

describe("releaseDate", () => {
  const changelog = "## Unreleased\n\n## [1.1.0] - 2027-02-03\n\n## 1.0.0 - 2026-11-21\n";

  it.each([
    ["1.1.0", "2027-02-03"],
    ["1.0.0", "2026-11-21"],
    ["1.2.0", undefined],
  ])("of %s is %s", (version, date) => {
    expect(releaseDate(changelog, version)).toBe(date);
  });
});
