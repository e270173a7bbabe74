import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { pets } from "../../src/cli/pets.ts";
import { topicNames } from "../../src/help/topics/names.ts";
import { commandsByPath } from "../support/commands.ts";

const root = path.resolve(import.meta.dirname, "../..");
const readme = readFileSync(path.join(root, "README.md"), "utf8");
const changelog = readFileSync(path.join(root, "CHANGELOG.md"), "utf8");

/** The code blocks of `markdown` for a shell, comments and prompts left out. */
function shellLines(markdown: string): readonly string[] {
  const blocks = [...markdown.matchAll(/^```(sh|console)\n([^]*?)^```$/gm)];
  return blocks.flatMap(([, language, text = ""]) => {
    const lines = text.split("\n").map((line) => line.replace(/(?:^|\s+)#\s.*$/, ""));
    // What a console shows as well as prompts is no command.
    const typed = language === "console" ? lines.filter((line) => line.startsWith("$ ")) : lines;
    return typed.map((line) => line.replace(/^\$ /, "")).filter((line) => line !== "");
  });
}

/** The words of each `pets …` in a shell's line; what is redirected, and what shells expand, left out. */
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

/** What parses, and what it is. */
async function parse(words: readonly string[]) {
  const { parseCommandLine } = await import("../../src/cli/program.ts");
  const world = { argv: words, program: { version: "1.2.3" }, stdout: {} };
  return parseCommandLine(world as unknown as Parameters<typeof parseCommandLine>[0]);
}

const exampleLines = [...commandsByPath().values()].flatMap(({ examples }) =>
  examples.map(({ line }) => line),
);
const commandLines = [...shellLines(readme), ...exampleLines]
  .flatMap(petsCommands)
  .map((words) => [words.join(" "), words] as const);

describe("a command line that is told to people", () => {
  it("is found in the README, many times", () => {
    expect(shellLines(readme).flatMap(petsCommands).length).toBeGreaterThan(25);
  });

  it.each([...new Map(commandLines)])("pets %s: parses", async (_line, words) => {
    expect(await parse(words)).not.toHaveProperty("failure");
  });

  it("is found wrong where it is", async () => {
    expect(await parse(["list", "--stats"])).toHaveProperty("failure");
    expect(await parse(["profile", "user", "x"])).toHaveProperty("failure");
  });
});

describe("what is told of in the README and the CHANGELOG", () => {
  const commands = [...commandsByPath()];
  const flags = new Set(
    [...commands.flatMap(([, { options = [] }]) => options), ...pets.globalOptions].flatMap(
      ({ flags: names }) => names.replace(/ <.*/, "").split(", "),
    ),
  );
  const code = [...`${readme}\n${changelog}`.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);

  it("has no flag that there is not", () => {
    const told = code
      .filter((text) => !/\b(?:npm|npx|node|curl|git) /.test(text))
      .flatMap((text) => text.match(/(?<=^|[ [])--?[a-z][a-z-]*/g) ?? []);
    expect(told.length).toBeGreaterThan(20);
    expect(told.filter((flag) => !flags.has(flag))).toEqual([]);
  });

  it("has no command that there is not", () => {
    const names = new Set(commands.map(([name]) => name));
    const told = code.flatMap((text) => /^pets ([a-z]+)/.exec(text)?.[1] ?? []);
    expect(told.length).toBeGreaterThan(10);
    expect(told.filter((name) => !names.has(name))).toEqual([]);
  });

  it("is every command and every flag of a command, in the README", () => {
    const named = commands.map(([name]) => `pets ${name.split(" ")[0]}`.trim());
    expect(named.filter((command) => !readme.includes(command))).toEqual([]);
    const missing = [...flags].filter((flag) => flag?.startsWith("--") && !readme.includes(flag));
    expect(missing.filter((flag) => flag !== "--version" && flag !== "--help")).toEqual([]);
  });

  it("is every topic of the help, in the README", () => {
    const missing = topicNames.filter((name) => !readme.includes(name));
    expect(missing).toEqual([]);
  });
});
