import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { topicNames } from "../../src/help/topics/names.ts";
import { commandsByPath } from "../support/command/commands.ts";
import { parseLine } from "../support/command/parse-line.ts";
import { documents, documentText, shellLines, shownRuns } from "../support/documents/documents.ts";
import { cleanEnv } from "../support/program/program.ts";

const root = path.resolve(import.meta.dirname, "../..");
const readme = documentText("README.md");
const all = [...documents, "CHANGELOG.md"].map(documentText).join("\n");

/** Returns the words of each `pets …` in a shell line, without redirections and shell expansions. */
function petsCommands(line: string): readonly (readonly string[])[] {
  const inner = line.replaceAll(/sh -c '([^']*)'/g, "sh -c x; $1");
  const commands = inner.split(/\|\||&&|[|;]|\$\(|\)/);
  return commands.flatMap((command) => {
    const words: readonly string[] = command.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
    const begin = words.indexOf("pets");
    if (begin === -1) return [];
    const end = words.findIndex((word) => /^\d?[<>]/.test(word));
    const own = words.slice(begin + 1, end === -1 ? undefined : end);
    return [own.map((word) => word.replaceAll(/^['"]|['"]$/g, ""))];
  });
}

const documented = documents.flatMap((name) => shellLines(documentText(name)));
const commandLines = documented
  .flatMap(petsCommands)
  .map((words) => [words.join(" "), words] as const);

describe("a command line in a document", () => {
  it("is found in the README and the topics, many times", () => {
    expect(documented.flatMap(petsCommands).length).toBeGreaterThan(25);
  });

  it.each([...new Map(commandLines)])("pets %s: parses", async (_line, words) => {
    expect(await parseLine(words)).toMatchObject({ failure: undefined });
  });
});

describe("what the README, the topics and the CHANGELOG name", () => {
  const commands = [...commandsByPath()];
  const options = commands.flatMap(([, command]) => command.options);
  const flags = new Set(["-h", "--help", ...options.flatMap(({ long, short }) => [long, short])]);
  const code = [...all.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);

  it("names no unknown flag", () => {
    const told = code
      .filter((text) => !/\b(?:npm|npx|node|curl|docker|git|sh) /.test(text))
      .flatMap((text) => text.match(/(?<=^|[ [])--?[a-z][a-z-]*/g) ?? []);
    expect(told.length).toBeGreaterThan(20);
    expect(told.filter((flag) => !flags.has(flag))).toEqual([]);
  });

  it("names no unknown command", () => {
    const names = new Set(commands.flatMap(([name, command]) => command.aliases().concat(name)));
    const told = code.flatMap((text) => /^pets ([a-z]+)/.exec(text)?.[1] ?? []);
    expect(told.length).toBeGreaterThan(10);
    expect(told.filter((name) => !names.has(name))).toEqual([]);
  });

  it("is every topic of the help, linked", () => {
    const links = topicNames.map((name) => `(src/help/topics/${name}.md)`);
    expect(links.filter((link) => !readme.includes(link))).toEqual([]);
  });

  it("links to files that exist", () => {
    const texts = [...documents, "CHANGELOG.md", "src/README.md", "test/README.md"];
    const broken = texts.flatMap((name) => {
      const links = [...documentText(name).matchAll(/\]\((?!https?:)([^)#]+)/g)];
      const folder = path.join(root, path.dirname(name));
      return links.filter(([, link = ""]) => !existsSync(path.join(folder, link)));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it("is short", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(160);
  });
});

describe("what the README prints below a command", () => {
  const [first] = shownRuns(readme);

  it("is what npm start prints", () => {
    expect(first?.lines[0]).toBe("npm ci && npm start");
    const env = { ...cleanEnv(), PATH: process.env.PATH };
    const ran = spawnSync("npm", ["start", "--silent"], { cwd: root, env, encoding: "utf8" });
    expect(ran).toMatchObject({ status: 0, stdout: first?.output, stderr: "" });
  });
});
