import { describe, expect, it } from "vitest";
import { examples } from "../../src/help/examples.ts";
import { runHere } from "../support/world.ts";
import { commandsByPath } from "../support/commands.ts";

const paths = [...commandsByPath().keys()];

describe("examples", () => {
  it("are kept for every command and subcommand, and for nothing else", () => {
    expect(Object.keys(examples).sort()).toEqual([...paths].sort());
  });

  it.each(paths)("stand at the end of the help of pets %s, two at least", async (name) => {
    const lines = examples[name] ?? [];
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    const { stdout } = await runHere([...name.split(" ").filter((word) => word !== ""), "--help"]);
    const end = ["", "Examples:", ...lines.map((line) => `  ${line}`), ""].join("\n");
    expect(stdout.slice(-end.length - 1)).toBe(`\n${end}`);
  });
});
