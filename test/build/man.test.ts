import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { manPage } from "../../src/build/man.ts";
import { createProgram } from "../../src/commands/index.ts";
import { topicText } from "../../src/help/topics/index.ts";
import { topicNames } from "../../src/help/topics/names.ts";
import { commandTree, commandPath } from "../../src/help/tree.ts";
import { hasProgram } from "../support/program/has-program.ts";

const root = path.resolve(import.meta.dirname, "../..");
const file = path.join(root, "dist/pets.1");
const pets = createProgram();

describe("pets(1)", () => {
  it("is in the package, as the build made it from the same commands", async () => {
    const json = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    // npm links a man page only if it is in a list.
    expect(json.man).toEqual([`./${path.relative(root, file)}`]);
    const built = readFileSync(file, "utf8");
    expect(built).toBe(await manPage(pets, json.version));
  });

  it.skipIf(!hasProgram("mandoc"))("is free of mandoc's warnings", async () => {
    const input = await manPage(pets, "1.2.3");
    const run = spawnSync("mandoc", ["-T", "lint", "-W", "warning"], { input, encoding: "utf8" });
    expect(run.stderr).toBe("");
    // Two builds of the same sources are the same.
    expect(run.stdout).toMatch(/^.* missing date, .*\n$/);
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

  it.each(commandTree(pets).map((command) => [commandPath(command), command] as const))(
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
