import { describe, expect, it } from "vitest";
import { pets } from "../../src/cli/pets.ts";
import { commandsByPath } from "../support/command/commands.ts";
import { runHere } from "../support/command/world.ts";

const all = [...commandsByPath()];

describe.each(all)("the definition of pets %s", (path, command) => {
  const { examples, options = [], subcommands = [] } = command;

  it("has at least two examples, each with its expected result", () => {
    const lines = examples.map(({ line }) => line);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const { line: _line, ...expected } of examples) expect(expected).not.toEqual({});
  });

  it("ends its help with the examples", async () => {
    const words = path.split(" ").filter((word) => word !== "");
    const { stdout } = await runHere([...words, "--help"]);
    // A line that is too wide is broken after an operator.
    const shown = stdout.slice(stdout.lastIndexOf("\nExamples:")).replaceAll(/\s+/g, " ");
    const lines = examples.map(({ line }) => line.replaceAll(/\s+/g, " "));
    expect(shown).toBe(` Examples: ${lines.join(" ")} `);
  });

  it("has a summary that the help can make a sentence of", () => {
    expect(command.summary).toMatch(/^[a-z].*[^.]$/);
  });

  it("declares values only for options that take one", () => {
    const wrong = options.filter(({ flags, values }) => values !== undefined && !/ </.test(flags));
    expect(wrong).toEqual([]);
  });

  it("runs, or has a default subcommand", () => {
    const defaults = subcommands.filter(({ isDefault }) => isDefault);
    const isProgram = command === pets;
    expect((command.run === undefined ? 0 : 1) + defaults.length).toBe(isProgram ? 0 : 1);
  });
});
