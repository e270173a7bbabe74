import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/commands/index.ts";
import { aboutOf } from "../../../src/help/about.ts";
import { manPage, releaseDate } from "../../../src/help/man/page.ts";
import { readMarkdown } from "../../../src/help/markdown.ts";
import { topics } from "../../../src/help/topics/index.ts";
import { commandsByPath } from "../../support/command/commands.ts";
import { hasProgram } from "../../support/program/has-program.ts";
import { available, render } from "./render.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const file = path.join(root, "dist/pets.1");
const facts = {
  version: "1.2.3",
  date: "2026-11-21",
  topics: Object.values(topics),
};
const pets = createProgram("1.2.3");
const page = manPage(pets, facts);

/** Returns `text` with single spaces: the renderer decides where lines end. */
const flowing = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("…", "...");

describe("pets(1)", () => {
  it("has its sections in order, and only ASCII", () => {
    const headings = [...page.matchAll(/^\.SH "(.*)"$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      "NAME",
      "SYNOPSIS",
      "DESCRIPTION",
      "COMMANDS",
      "GLOBAL OPTIONS",
      "ENVIRONMENT VARIABLES",
      "EXIT CODES",
      "OUTPUT",
      "RATE LIMITS",
      "SHARING RATE LIMITS BETWEEN MACHINES",
      "IMPORTS",
      "RUNNING A STORE",
      "FAULTS ON DEMAND",
      "CHECKING A CLIENT",
      "PROFILES",
      "EXAMPLES",
      "SEE ALSO",
    ]);
    expect(page).toMatch(/^[\n\x20-\x7e]*$/);
  });

  it("is in the package, as the build made it from the same definitions", () => {
    const { man, files, version } = JSON.parse(
      readFileSync(path.join(root, "package.json"), "utf8"),
    );
    // npm links a man page only if it is in a list.
    expect(man).toEqual([`./${path.relative(root, file)}`]);
    expect(files).toContain("dist");
    const built = readFileSync(file, "utf8");
    const date = /^\.TH PETS 1 "(.*?)"/m.exec(built)?.[1];
    expect(built).toBe(manPage(pets, { ...facts, version, date }));
  });
});

describe.each(available)("pets(1) as $name shows it", (renderer) => {
  const { text, complaints } = render(renderer, page);
  const shown = flowing(text);

  it("renders without complaints, in ASCII too", () => {
    expect(complaints).toBe("");
    const ascii = render(renderer, page, "ascii");
    expect(ascii.complaints).toBe("");
    expect(ascii.text).not.toContain("<?>");
    expect(ascii.text).toContain("--latency 100+-50 -- ./test.sh");
  });

  it.each([...commandsByPath()])("shows all of pets %s", (_path, command) => {
    expect(shown.toLowerCase()).toContain(flowing(command.summary()).toLowerCase());
    for (const { flags, description } of command.options.filter((option) => !option.hidden))
      expect(shown).toContain(flowing(`${flags} ${description}`));
    for (const line of aboutOf(command).examples) expect(text).toMatch(lineOf(line));
  });

  it("has every word of the topics", () => {
    for (const topic of Object.values(topics)) {
      const blocks = readMarkdown(topic).filter((block) => typeof block === "string");
      for (const one of blocks) expect(shown).toContain(flowing(one).replaceAll("`", ""));
    }
  });

  it("has every exit code", () => {
    for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143])
      expect(text).toMatch(new RegExp(`^ +${code} +[a-z]`, "m"));
  });
});

const lineOf = (line: string): RegExp =>
  new RegExp(`^ +${line.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`, "m");

describe.skipIf(!hasProgram("mandoc"))("pets(1) under mandoc's lint", () => {
  it("is free of warnings", () => {
    const run = spawnSync("mandoc", ["-T", "lint", "-W", "warning"], { input: page });
    expect([run.stdout.toString(), run.stderr.toString(), run.status]).toEqual(["", "", 0]);
  });
});

describe.skipIf(!hasProgram("man"))("man -l dist/pets.1", () => {
  it.each([80, 40])("shows it in %i columns, and breaks no word", (columns) => {
    const env = { ...process.env, MANWIDTH: `${columns}`, LC_ALL: "C.UTF-8", MANPAGER: "cat" };
    const text = execFileSync("man", ["-l", file], { env, encoding: "utf8", stdio: "pipe" });
    const lines = text.replaceAll(/.\x08/gu, "").split("\n");
    // A word may be longer than the line, and text between EX and EE is not wrapped.
    const asIs = new Set(
      [...page.matchAll(/^\.EX\n([^]*?)\n\.EE$/gm)].flatMap(([, block = ""]) =>
        block
          .replaceAll(String.raw`\(aq`, "'")
          .replaceAll(String.raw`\(dq`, '"')
          .replaceAll(String.raw`\(+-`, "±")
          .replaceAll(String.raw`\(ti`, "~")
          .replaceAll(String.raw`\(rs`, "/")
          .replaceAll("\\", "")
          .replaceAll(/\/$/gm, "\\")
          .split("\n")
          .map((line) => line.trim()),
      ),
    );
    const wide = lines.filter((line) => line.length > columns && /\S \S/.test(line));
    expect(wide.map((line) => line.trim()).filter((line) => !asIs.has(line))).toEqual([]);
    expect(text).not.toContain("‐");
    expect(flowing(text)).toContain(
      'maximum total wait for rate limits per request (default: "75s")',
    );
  });
});

describe("releaseDate", () => {
  const changelog =
    "# Changelog\n\n## Unreleased\n\n## [1.1.0] - 2027-02-03\n\n## 1.0.0 - 2026-11-21\n";

  it.each([
    ["1.1.0", "2027-02-03"],
    ["1.0.0", "2026-11-21"],
    ["1.2.0", undefined],
  ])("of %s is %s", (version, date) => {
    expect(releaseDate(changelog, version)).toBe(date);
  });
});
