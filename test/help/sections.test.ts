import { describe, expect, it } from "vitest";
import type { ProgramModel } from "../../src/core/command-line.ts";
import {
  findCommand,
  pathsBelow,
  sectionsOf,
  sentenceOf,
  usageOf,
  tableTerms,
  wordsOf,
} from "../../src/help/sections.ts";

const examples = [{ line: "pets" }];
const profile = {
  name: "profile",
  summary: "keep profiles",
  examples,
  subcommands: [
    { name: "list", summary: "list them", examples },
    { name: "use", summary: "use one", examples, arguments: [{ syntax: "<profile>" }] },
  ],
};
const serve = {
  name: "serve",
  summary: "run the store",
  usage: "[options] [-- command with its arguments]",
  examples,
  arguments: [{ syntax: "[command...]", description: "run this" }],
  options: [{ flags: "--port <n>", description: "listen here" }],
};
const program: ProgramModel = {
  name: "pets",
  summary: "list animals",
  examples,
  subcommands: [profile, serve],
  topics: {},
  globalOptions: [{ flags: "-q, --quiet", description: "no notes" }],
};

describe("findCommand", () => {
  it.each([[[]], [["profile"]], [["profile", "use"]]])("finds %j", (names) => {
    const path = findCommand(program, names);
    expect(path?.map(({ name }) => name)).toEqual(["pets", ...names]);
  });

  it.each([[["use"]], [["profile use"]], [["profile", "use", "it"]], [["toString"]]])(
    "finds nothing at %j",
    (names) => {
      expect(findCommand(program, names)).toBeUndefined();
    },
  );
});

describe("pathsBelow", () => {
  it("returns each command before its own subcommands, without the first", () => {
    expect(pathsBelow([program]).map(wordsOf)).toEqual([
      "pets profile",
      "pets profile list",
      "pets profile use",
      "pets serve",
    ]);
    expect(pathsBelow([program, serve])).toEqual([]);
  });
});

describe("usageOf", () => {
  it.each([
    [[program], "pets [options] [command]"],
    [[program, profile], "pets profile [options] [command]"],
    [[program, profile, profile.subcommands[1]], "pets profile use [options] <profile>"],
    [[program, serve], "pets serve [options] [-- command with its arguments]"],
  ])("%#: returns for %j: %s", (path, usage) => {
    expect(usageOf(path as unknown as Parameters<typeof usageOf>[0])).toBe(usage);
  });
});

describe("sentenceOf", () => {
  it("makes a sentence out of a summary", () => {
    expect(sentenceOf(serve)).toBe("Run the store.");
  });
});

describe("sectionsOf", () => {
  const globals = { heading: "Global options", terms: [["-q, --quiet", "no notes"]] };

  it("lists commands with a short usage, or with the name of their argument", () => {
    expect(sectionsOf([program])).toEqual([
      {
        heading: "Commands",
        terms: [
          ["profile [command]", "keep profiles"],
          ["serve <command>", "run the store"],
        ],
      },
      globals,
    ]);
  });

  it("has the arguments and options of a command, without the global options", () => {
    expect(sectionsOf([program, serve])).toEqual([
      { heading: "Arguments", terms: [["command", "run this"]] },
      { heading: "Options", terms: [["--port <n>", "listen here"]] },
    ]);
  });

  it("leaves out an argument without a description, and sections without terms", () => {
    const [, use = serve] = profile.subcommands;
    expect(sectionsOf([program, profile, use])).toEqual([]);
  });
});

it.each([
  [
    ["7", "a service", "try again"],
    ["7", "from: a service; then: try again"],
  ],
  [["7"], ["7", ""]],
  [[], ["", ""]],
])("a row %j of a table is the term %j", (row, term) => {
  expect(tableTerms({ head: ["exit", "from", "then"], rows: [row] })).toEqual([term]);
});
