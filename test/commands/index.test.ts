import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/commands/index.ts";
import { commandHelp } from "../../src/help/command-help.ts";
import { topics } from "../../src/help/topics/index.ts";
import { topicNames } from "../../src/help/topics/names.ts";
import { commandsByPath } from "../support/command/commands.ts";
import { runHere } from "../support/command/world.ts";

const namesOf = (only?: string) =>
  createProgram(undefined, only).commands.map((command) => command.name());

describe("createProgram", () => {
  it("builds the command that is named, and all for any other word", () => {
    expect(namesOf("list")).toEqual(["list"]);
    for (const word of ["ls", "nope", "constructor", undefined])
      expect(namesOf(word)?.join(" ")).toBe(
        "list add get imports login status profile limits logout completion help serve store keys",
      );
  });
});

it("refers in notes and topics only to topics and commands that exist", () => {
  const notes = [...commandsByPath().values()].map((command) => commandHelp(command));
  const texts = [...notes, ...Object.values(topics)].join("\n");
  const referred = [...texts.matchAll(/`pets help ([a-z][a-z -]*)`/g)].map(([, name = ""]) => name);
  const known = new Set<string>([...topicNames, ...commandsByPath().keys()]);
  expect(referred).toContain("import");
  expect(referred.filter((name) => !known.has(name))).toEqual([]);
});

describe.each([...commandsByPath()].slice(1))("pets %s", (path, command) => {
  const { examples = [] } = command.configureHelp();

  it("has at least two examples", () => {
    expect(new Set(examples).size).toBe(examples.length);
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it("ends its help with the examples, in lines of 80 columns at most", async () => {
    const { stdout } = await runHere([...path.split(" "), "--help"]);
    const shown = stdout.slice(stdout.lastIndexOf("\nExamples:")).replaceAll(/\s+/g, " ");
    expect(shown).toBe(` Examples: ${examples.join(" ")} `);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("has a summary that the help can make a sentence of", () => {
    expect(command.summary()).toMatch(/^[a-z].*[^.]$/);
  });
});
