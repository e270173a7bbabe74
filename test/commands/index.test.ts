import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/commands/index.ts";
import { aboutOf } from "../../src/help/about.ts";
import { commandsByPath } from "../support/command/commands.ts";
import { runHere } from "../support/command/world.ts";
import { expected } from "../support/documents/documents.ts";

const namesOf = (only?: string) =>
  createProgram("1", only).commands.map((command) => command.name());

describe("createProgram", () => {
  it("builds the command that is named, and all for any other word", () => {
    expect(namesOf("list")).toEqual(["list"]);
    for (const word of ["ls", "nope", "constructor", undefined])
      expect(namesOf(word)?.join(" ")).toBe(
        "list add get imports login status profile limits logout completion help serve store keys",
      );
  });
});

describe.each([...commandsByPath()].slice(1))("pets %s", (path, command) => {
  const { examples } = aboutOf(command);

  it("has at least two examples, each with its expected result", () => {
    expect(new Set(examples).size).toBe(examples.length);
    expect(examples.length).toBeGreaterThanOrEqual(2);
    expect(examples.filter((line) => expected[line] === undefined)).toEqual([]);
  });

  it("ends its help with the examples", async () => {
    const words = path.split(" ").filter((word) => word !== "");
    const { stdout } = await runHere([...words, "--help"]);
    // A line that is too wide is broken after an operator.
    const shown = stdout.slice(stdout.lastIndexOf("\nExamples:")).replaceAll(/\s+/g, " ");
    const lines = examples.map((line) => line.replaceAll(/\s+/g, " "));
    expect(shown).toBe(` Examples: ${lines.join(" ")} `);
  });

  it("has a summary that the help can make a sentence of", () => {
    expect(command.summary()).toMatch(/^[a-z].*[^.]$/);
  });
});
