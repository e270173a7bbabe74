import { describe, expect, expectTypeOf, it } from "vitest";
import { readInput } from "../../src/cli/read-input.ts";
import { defineCommand, type InputOf } from "../../src/commands/command.ts";
import { oneOf } from "../../src/core/command-line.ts";

const options = [
  { flags: "-n, --count <n>", description: "", default: "3", parse: Number },
  { flags: "--color <color>", description: "", values: oneOf(["red", "blue"]) },
  { flags: "--tag <tag>", description: "", repeats: true },
  { flags: "--file <file>", description: "", once: true, formerly: "--input" },
  { flags: "--dry-run", description: "", needs: "--file", excludes: ["--tag"] },
  { flags: "--no-page", description: "" },
] as const;
const taken = [{ syntax: "<id>", parse: BigInt }, { syntax: "[more-words...]" }] as const;

const paint = defineCommand({
  name: "paint",
  summary: "",
  examples: [],
  options,
  arguments: taken,
  run: async (_context, input) => void expectTypeOf(input).toEqualTypeOf<Input>(),
});

type Input = InputOf<typeof options, typeof taken>;

const unset = { count: 3, tag: [], dryRun: false, page: true, id: 7n, moreWords: [] };
/** What the parser returns for an option that was not typed. */
const typedPage = { page: true };

function read(typed: object, words: readonly unknown[] = ["7", []]): Promise<object> {
  return readInput(paint, { arguments: words, options: { ...typedPage, ...typed } });
}

describe("InputOf", () => {
  it("has names and types of all options and arguments", () => {
    expectTypeOf<Input>().toEqualTypeOf<{
      readonly count: number;
      readonly color?: "red" | "blue";
      readonly tag: readonly string[];
      readonly file?: string;
      readonly dryRun: boolean;
      readonly page: boolean;
      readonly id: bigint;
      readonly moreWords: readonly string[];
    }>();
  });
});

describe("readInput", () => {
  it.each<[object, object]>([
    [{}, {}],
    [{ count: "12" }, { count: 12 }],
    [{ color: "red" }, { color: "red" }],
    [{ tag: ["a", "b"] }, { tag: ["a", "b"] }],
    [{ file: ["a"] }, { file: "a" }],
    [{ input: ["a"] }, { file: "a" }],
    [
      { file: ["a"], dryRun: true },
      { file: "a", dryRun: true },
    ],
    [{ page: false }, { page: false }],
  ])("%j is %j", async (typed, changes) => {
    expect(await read(typed)).toEqual({ ...unset, ...changes });
  });

  it("has the arguments in their order", async () => {
    expect(await read({}, ["-5", ["a", "b"]])).toMatchObject({ id: -5n, moreWords: ["a", "b"] });
  });

  it.each<[object, string]>([
    [{ color: "pink" }, '--color must be one of red, blue, not "pink"'],
    [{ file: ["a", "b"] }, "--file can be given only once"],
    [{ dryRun: true }, "--dry-run needs --file"],
    [{ dryRun: true, file: ["a"], tag: ["b"] }, "--dry-run and --tag cannot be used together"],
  ])("%j is rejected", async (typed, message) => {
    await expect(read(typed)).rejects.toMatchObject({ kind: "usage", message });
  });
});
