import { Command, CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import {
  addCommand,
  explicitOptions,
  explicitOptionsBelow,
  isTextRequest,
  resolvedCommand,
} from "../../src/cli/commander-adapter.ts";
import type { CommandDefinition } from "../../src/commands/command.ts";

const leaf = { summary: "", examples: [], run: async () => {} };
const shop: CommandDefinition = {
  name: "shop",
  summary: "",
  examples: [],
  subcommands: [
    {
      ...leaf,
      name: "list",
      isDefault: true,
      options: [{ flags: "--from <file>", description: "", repeats: true }],
    },
    {
      ...leaf,
      name: "sell",
      arguments: [{ syntax: "<id>" }, { syntax: "[more...]" }],
      options: [
        { flags: "--price <n>", description: "" },
        { flags: "--no-tax", description: "" },
      ],
    },
  ],
};

/** Returns a parser of `shop`, and what it calls for a command line. */
function parserOf(definition: CommandDefinition) {
  const called: unknown[][] = [];
  const root = new Command("pets")
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} });
  addCommand(
    root,
    definition,
    ({ definition: { name }, command }) =>
      void called.push([name, ...command.processedArgs, command.opts()]),
  );
  root.option("-o, --output <format>").option("--json");
  for (const command of root.commands[0]?.commands ?? []) command.option("--json");
  const parse = (line: string): CommanderError | undefined => {
    try {
      root.parse(line.split(" "), { from: "user" });
    } catch (error) {
      if (error instanceof CommanderError) return error;
      throw error;
    }
    return undefined;
  };
  return { root, called, parse };
}

describe("addCommand", () => {
  it.each([
    ["shop", "list", {}],
    ["shop --from a --from b", "list", { from: ["a", "b"] }],
    ["shop list --from a", "list", { from: ["a"] }],
  ])("%s runs %s with %j", (line, name, options) => {
    const { called, parse } = parserOf(shop);
    expect(parse(line)).toBeUndefined();
    expect(called).toEqual([[name, options]]);
  });

  it("passes the arguments and then the options", () => {
    const { called, parse } = parserOf(shop);
    expect(parse("shop sell 7 8 9 --price 3 --no-tax")).toBeUndefined();
    expect(called).toEqual([["sell", "7", ["8", "9"], { price: "3", tax: false }]]);
  });
});

describe("explicitOptions", () => {
  it("returns what was typed at a command and above it, without defaults; the nearest wins", () => {
    const { root, parse } = parserOf(shop);
    parse("-o csv --json shop sell 7 --json");
    expect(explicitOptions(resolvedCommand(root))).toEqual({ output: "csv", json: true });
  });
});

describe("explicitOptionsBelow", () => {
  it("returns what was typed anywhere in a line that the parser rejected", () => {
    const { root, parse } = parserOf(shop);
    expect(parse("shop sell 7 --json --nonsense")).toBeInstanceOf(CommanderError);
    expect(explicitOptionsBelow(root)).toEqual({ json: true });
  });
});

describe("resolvedCommand", () => {
  it.each([
    ["shop sell 7", "sell"],
    ["shop sell 7 --nonsense", "sell"],
    ["nonsense", "pets"],
  ])("%s leads to %s", (line, name) => {
    const { root, parse } = parserOf(shop);
    parse(line);
    expect(resolvedCommand(root).name()).toBe(name);
  });
});

describe("isTextRequest", () => {
  it.each([
    ["--help", true],
    ["shop sell --help", true],
    ["shop sell", false],
    ["--nonsense", false],
  ])("of %s is %s", (line, expected) => {
    const error = parserOf(shop).parse(line);
    expect(error && isTextRequest(error)).toBe(expected);
  });
});
