import { describe, expect, it } from "vitest";
import { examples } from "../../src/commands/examples.ts";
import { runHere } from "../support/world.ts";
import { commandPaths } from "../support/commands.ts";

const paths = commandPaths();

describe("examples", () => {
  it("are kept for every command and subcommand, and for nothing else", () => {
    expect(Object.keys(examples).sort()).toEqual(paths.map((path) => path.join(" ")).sort());
  });

  it.each(paths.map((path) => [path.join(" "), path]))(
    "stand at the end of the help of pets %s, two at least",
    async (name, path) => {
      const lines = examples[name] ?? [];
      expect(new Set(lines).size).toBe(lines.length);
      expect(lines.length).toBeGreaterThanOrEqual(2);
      const { stdout } = await runHere([...path, "--help"]);
      const end = ["", "Examples:", ...lines.map((line) => `  ${line}`), ""].join("\n");
      expect(stdout.slice(-end.length - 1)).toBe(`\n${end}`);
    },
  );
});
